/** Calls of the demo's contracts, encoded. */
import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  parseAbi,
} from "viem"

export const abi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function burn(uint256 amount)",
  "function transfer(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
  "function transferFrom(address from, address to, uint256 amount)",
  "function deposit()",
  "function withdraw(uint256 amount)",
  "function run((address target, uint256 value, bytes data)[] calls)",
  "function sweep(address token, address from, address to)",
])

type Name = ContractFunctionName<typeof abi>

/** `encode("mint", [to, amount])`: the call's data. */
export const encode = <const N extends Name>(
  functionName: N,
  args: ContractFunctionArgs<typeof abi, "nonpayable", N>,
): `0x${string}` => encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters)
