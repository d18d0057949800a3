/** Functions that move tokens most often, by the first four bytes of the call: as Etherscan names them. A name is a guess by its hash, as there. */

const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "0xa9059cbb": "transfer(address to, uint256 amount)",
    "0x23b872dd": "transferFrom(address from, address to, uint256 amount)",
    "0x095ea7b3": "approve(address spender, uint256 amount)",
    "0x39509351": "increaseAllowance(address spender, uint256 addedValue)",
    "0xa457c2d7": "decreaseAllowance(address spender, uint256 subtractedValue)",
    "0xd505accf":
      "permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
    "0x40c10f19": "mint(address to, uint256 amount)",
    "0xa0712d68": "mint(uint256 amount)",
    "0x6a627842": "mint(address to)",
    "0x1249c58b": "mint()",
    "0x42966c68": "burn(uint256 amount)",
    "0x9dc29fac": "burn(address from, uint256 amount)",
    "0x79cc6790": "burnFrom(address account, uint256 amount)",
    "0xd0e30db0": "deposit()",
    "0xb6b55f25": "deposit(uint256 amount)",
    "0x6e553f65": "deposit(uint256 assets, address receiver)",
    "0x2f4f21e2": "depositFor(address account, uint256 amount)",
    "0x2e1a7d4d": "withdraw(uint256 amount)",
    "0x3ccfd60b": "withdraw()",
    "0xb460af94": "withdraw(uint256 assets, address receiver, address owner)",
    "0x205c2878": "withdrawTo(address account, uint256 amount)",
    "0xdb006a75": "redeem(uint256 shares)",
    "0xba087652": "redeem(uint256 shares, address receiver, address owner)",
    "0xa694fc3a": "stake(uint256 amount)",
    "0x3a4b66f1": "stake()",
    "0x2e17de78": "unstake(uint256 amount)",
    "0x4e71d92d": "claim()",
    "0x379607f5": "claim(uint256 amount)",
    "0x3d18b912": "getReward()",
    "0x4641257d": "harvest()",
    "0xe9fad8ee": "exit()",
    "0x022c0d9f": "swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
    "0x38ed1739":
      "swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "0x8803dbee":
      "swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    "0x7ff36ab5": "swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "0xfb3bdb41": "swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)",
    "0x18cbafe5":
      "swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "0x4a25d94a":
      "swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    "0x5c11d795":
      "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "0xb6f9de95":
      "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "0x791ac947":
      "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "0xe8e33700":
      "addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)",
    "0xf305d719":
      "addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)",
    "0xbaa2abde":
      "removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)",
    "0x02751cec":
      "removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)",
    "0x3593564c": "execute(bytes commands, bytes[] inputs, uint256 deadline)",
    "0x24856bc3": "execute(bytes commands, bytes[] inputs)",
    "0xac9650d8": "multicall(bytes[] data)",
    "0x5ae401dc": "multicall(uint256 deadline, bytes[] data)",
    "0x82ad56cb": "aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
    "0x1fad948c":
      "handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
    "0x6a761202":
      "execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
    "0x42842e0e": "safeTransferFrom(address from, address to, uint256 tokenId)",
    "0xb88d4fde": "safeTransferFrom(address from, address to, uint256 tokenId, bytes data)",
    "0xf242432a": "safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
    "0x2eb2c2d6": "safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)",
    "0xa22cb465": "setApprovalForAll(address operator, bool approved)",
    "0xa1448194": "safeMint(address to, uint256 tokenId)",
    "0x731133e9": "mint(address to, uint256 id, uint256 amount, bytes data)",
    "0x1f7fdffa": "mintBatch(address to, uint256[] ids, uint256[] amounts, bytes data)",
  }),
)

/** With its parameters' types and names; `""` where the function is none of these. */
export const functionNameOf = (methodId: string): string => names.get(methodId) ?? ""
