/** A compatibility action, asked as everybody may ask it. */
import { Refusal, type Service, type Value } from "./service.ts"

/** Its result. Fails with `Refusal`, in its words. */
export const compatAnswer = async (
  service: Service,
  chain: string,
  query: Readonly<Record<string, Value | undefined>>,
) => {
  const { body, told } = await service.get(
    { path: "/v2/network/{networkId}/evm/{chainId}/compat/api" },
    { chain },
    query,
  )
  const { status, message, result } = body as {
    readonly status: string
    readonly message: string
    readonly result: unknown
  }
  if (status !== "1") throw new Refusal(`${message}: ${String(result)}`)
  return { result, told }
}
