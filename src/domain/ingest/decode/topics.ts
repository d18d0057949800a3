/** The first topics of the logs that are followed. */

/** keccak256 of the event signatures. */
export const topics = {
  /** Transfer(address,address,uint256), of ERC-20 and ERC-721 */
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  /** TransferSingle(address,address,address,uint256,uint256) */
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  /** TransferBatch(address,address,address,uint256[],uint256[]) */
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  /** ConsecutiveTransfer(uint256,uint256,address,address), ERC-2309 */
  consecutiveTransfer: "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d",
  /** Deposit(address,uint256) of wrapped native */
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  /** Withdrawal(address,uint256) of wrapped native */
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
} as const

/** Of pools; asked for where swaps are followed. */
export const swapTopics = {
  /** Swap(address,uint256,uint256,uint256,uint256,address), Uniswap V2 */
  v2: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  /** Swap(address,address,uint256,uint256,uint256,uint256), Solidly and its forks */
  solidly: "0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b",
  /** Swap(address,address,int256,int256,uint160,uint128,int24), Uniswap V3 */
  v3: "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  /** The same with protocol fees behind it (uint128,uint128), PancakeSwap V3 */
  pancakeV3: "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
  /** Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24), Uniswap V4's pool manager */
  v4: "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f",
  /** Initialize(bytes32,address,address,uint24,int24,address,uint160,int24), Uniswap V4's pool manager */
  v4Initialize: "0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438",
} as const

/** Asked for where approvals are followed. */
export const approvalTopics = {
  /** Approval(address,address,uint256), of ERC-20 and ERC-721 */
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  /** ApprovalForAll(address,address,bool), of ERC-721 and ERC-1155 */
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
} as const

export const ofApprovals: ReadonlySet<string> = new Set(Object.values(approvalTopics))

/** The first topics of every log that is followed, those of pools and approvals included or not. */
export const followedTopics = (swaps = false, approvals = false): ReadonlyArray<string> => [
  ...Object.values(topics),
  ...(swaps ? Object.values(swapTopics) : []),
  ...(approvals ? Object.values(approvalTopics) : []),
]
