/** Presets: what a setting is where nobody sets it, by `PROFILE`. Whatever is set by hand wins. None of them makes a number less sure. */

export interface Profile {
  /** Settings of the service, as they would be written. */
  readonly service: Readonly<Record<string, string>>
  /** The same of every chain, without its number. */
  readonly chain: Readonly<Record<string, string>>
  readonly meaning: string
}

export const profiles = {
  usual: { service: {}, chain: {}, meaning: "the defaults of the tables" },
  frugal: {
    service: { PRICE_SECONDS: "300", PRICE_HISTORY: "off" },
    chain: { POLL_MS: "4000", TOKEN_URIS: "off", AUDIT_SECONDS: "3600" },
    meaning:
      "fewer calls to nodes: no token URIs, an audit by the hour, no prices of the past, a look at the head every four seconds",
  },
} as const satisfies Record<string, Profile>

export type ProfileName = keyof typeof profiles

export const isProfile = (word: string): word is ProfileName => Object.hasOwn(profiles, word)

/** For the log of a start: `PROFILE=frugal: PRICE_SECONDS=300, …`; undefined = nothing differs. */
export const profileLine = (name: ProfileName): string | undefined => {
  const { service, chain }: Profile = profiles[name]
  const set = [
    ...Object.entries(service).map(([setting, value]) => `${setting}=${value}`),
    ...Object.entries(chain).map(([setting, value]) => `${setting}_<id>=${value}`),
  ]
  return set.length === 0 ? undefined : `PROFILE=${name}, where nothing else is set: ${set.join(", ")}`
}
