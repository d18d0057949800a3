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
  "function burn(address from, uint256 id, uint256 amount)",
  "function transfer(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
  "function transferFrom(address from, address to, uint256 amount)",
  "function deposit()",
  "function withdraw(uint256 amount)",
  "function run((address target, uint256 value, bytes data)[] calls)",
  "function sweep(address token, address from, address to)",
  "function passOn(address collection, uint256 id, address to)",
  "function setApprovalForAll(address operator, bool approved)",
  "function mintId(address to, uint256 id)",
  "function takeId(uint256 id)",
  "function claim(address from, address to, uint256 id)",
  "function mintSome(address to, uint256 id, uint256 amount)",
  "function mintBatch(address to, uint256[] ids, uint256[] amounts)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)",
  "function burnBatch(address from, uint256[] ids, uint256[] amounts)",
  "function createPair(address one, address other)",
  "function trade(address pair, address token, uint256 amount, address to)",
  "function provide(address pair, address one, uint256 ofOne, address other, uint256 ofOther)",
  "function leave(address pair, uint256 divisor)",
  "function createPool(address one, address other, uint24 fee)",
  "function initialize(uint160 rootPrice)",
  "function tradeAt(address pool, address token, int256 amount, address to)",
  "function provideAt(address pool, int24 lower, int24 upper, uint128 liquidity)",
])

type Name = ContractFunctionName<typeof abi>

/** `encode("mint", [to, amount])`: the call's data. */
export const encode = <const N extends Name>(
  functionName: N,
  args: ContractFunctionArgs<typeof abi, "nonpayable", N>,
): `0x${string}` => encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters)
