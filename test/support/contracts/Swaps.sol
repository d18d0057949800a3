// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IPair {
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// Takes from a pair of Uniswap V2 first and pays in the callback, with whichever token.
contract Borrower {
    function borrow(IPair pair, uint256 out0, uint256 out1, IERC20 token, uint256 amount) external {
        pair.swap(out0, out1, address(this), abi.encode(token, amount, msg.sender));
    }

    function uniswapV2Call(address, uint256, uint256, bytes calldata data) external {
        (IERC20 token, uint256 amount, address payer) = abi.decode(data, (IERC20, uint256, address));
        token.transferFrom(payer, msg.sender, amount);
    }
}

/// Says that it is a pair of a factory that has not made it, and that much is swapped in it.
contract Impostor {
    address public immutable token0;
    address public immutable token1;
    address public immutable factory;

    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );

    constructor(address token0_, address token1_, address factory_) {
        token0 = token0_;
        token1 = token1_;
        factory = factory_;
    }

    function boast() external {
        emit Swap(msg.sender, 1 ether, 0, 0, 1_000_000 ether, msg.sender);
    }
}

/// Whatever it is asked it works on for ever.
contract Spinner {
    fallback() external {
        while (true) {}
    }
}

interface IConcentratedPool {
    function initialize(uint160 root) external;
    function slot0() external view returns (uint160 root, int24 tick, uint16, uint16, uint16, uint8, bool);
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// Asks pools of Uniswap V3 what they would do.
contract Prober {
    error Paid(int256 amount0, int256 amount1);

    /// What is paid in and out until the price is at `limit`.
    function probe(IConcentratedPool pool, bool zeroForOne, uint160 limit) external returns (int256, int256) {
        try pool.swap(address(this), zeroForOne, type(int256).max, limit, "") {
            return (0, 0);
        } catch (bytes memory reason) {
            int256 amount0;
            int256 amount1;
            // Behind the length and the error's selector.
            assembly {
                amount0 := mload(add(reason, 36))
                amount1 := mload(add(reason, 68))
            }
            return (amount0, amount1);
        }
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external pure {
        revert Paid(amount0, amount1);
    }

    /// The tick of a root, by a pool that has none yet.
    function tickAt(IConcentratedPool pool, uint160 root) external returns (int24 tick) {
        pool.initialize(root);
        (, tick,,,,,) = pool.slot0();
    }
}
