/** Reads the file of token information: texts by chain and address, the operator's own word. Pure. */
import { Option, Record, Result, Schema, Struct } from "effect"
import { type Address, ChainId } from "../../model/primitives.ts"
import type { NoteTexts } from "../../model/tokenNote.ts"
import { decodeWhole, parseJson } from "../../model/userFiles/decode.ts"
import { address, object, text } from "../../model/userFiles/shapes.ts"
import { table } from "../../model/userFiles/table.ts"
import { texts } from "./texts.ts"

export type Information = ReadonlyMap<ChainId, ReadonlyMap<Address, NoteTexts>>

const chainId = text(/^[1-9]\d{0,15}$/u, "a chain id").pipe(Schema.decodeTo(ChainId))
const expected = "an object"
const tokens = table(address, object(Struct.map(texts, Schema.optionalKey)), "address").annotate({ expected })
const chains = table(chainId, tokens, "chain").annotate({ expected })
const decode = decodeWhole(chains, { showsValues: false })

/** `{"<chain id>": {"<address>": {"website": "https://…", …}}}`, or every problem there is with it. */
export const readInformation = (text: string): Information | { readonly problems: ReadonlyArray<string> } => {
  const file = parseJson(text)
  if (Option.isNone(file)) return { problems: ["it is not JSON"] }
  const read = decode(file.value)
  return Result.isSuccess(read)
    ? new Map(Record.toEntries(read.success).map(([chainId, tokens]) => [chainId, new Map(Record.toEntries(tokens))]))
    : { problems: read.failure.map(({ at, problem }) => `${at === "" ? "the file" : at.slice(1)}: ${problem}`) }
}
