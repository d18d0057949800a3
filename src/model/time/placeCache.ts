/** What was last made of texts, for the hottest of loops: a text is found by four of its characters, its like takes its place. */

/**
 * Values of texts in hex. A map hashes all of every text, each of which is new in an answer; here four characters say where
 * it may be, and one comparison whether it is. So texts of one place throw each other out: it forgets, it is never wrong.
 */
export class PlaceCache<Value> {
  private readonly texts: Array<string>
  private readonly values: Array<Value | undefined>

  /** `digits`: characters from `at` on that make a place, at most 4: `16 ** digits` places. Texts are longer than that. */
  constructor(
    private readonly at: number,
    private readonly digits: 3 | 4,
    private readonly make: (text: string) => Value,
  ) {
    const places = 16 ** digits
    this.texts = new Array<string>(places).fill("")
    this.values = new Array<Value | undefined>(places).fill(undefined)
  }

  of(text: string): Value {
    const { at, texts, values } = this
    let place = digitAt(text, at) | (digitAt(text, at + 1) << 4) | (digitAt(text, at + 2) << 8)
    if (this.digits === 4) place |= digitAt(text, at + 3) << 12
    if (texts[place] === text) return values[place] as Value
    const value = this.make(text)
    texts[place] = text
    values[place] = value
    return value
  }
}

/** Of a hex digit; of any other character some place too. */
const digitAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return (code + (code >> 6) * 9) & 15
}
