// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IPair is IERC20 {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 time);
    function mint(address to) external returns (uint256 liquidity);
    function burn(address to) external returns (uint256 amount0, uint256 amount1);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address to, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// What a router does for pairs of Uniswap V2 and pools of V3, for a caller who has approved it.
contract Trader {
    /// Pays `amount` of `token` into the pair, and takes what it is worth of the other.
    function trade(IPair pair, IERC20 token, uint256 amount, address to) external {
        token.transferFrom(msg.sender, address(pair), amount);
        (uint256 reserveIn, uint256 reserveOut,) = pair.getReserves();
        bool isFirst = address(token) == pair.token0();
        if (!isFirst) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        // Some tokens take a fee on the way.
        uint256 paid = (token.balanceOf(address(pair)) - reserveIn) * 997;
        uint256 taken = (paid * reserveOut) / (reserveIn * 1000 + paid);
        pair.swap(isFirst ? 0 : taken, isFirst ? taken : 0, to, "");
    }

    function provide(IPair pair, IERC20 one, uint256 ofOne, IERC20 other, uint256 ofOther) external {
        one.transferFrom(msg.sender, address(pair), ofOne);
        other.transferFrom(msg.sender, address(pair), ofOther);
        pair.mint(msg.sender);
    }

    /// Takes a share out: 1 / `divisor` of what the caller has provided.
    function leave(IPair pair, uint256 divisor) external {
        pair.transferFrom(msg.sender, address(pair), pair.balanceOf(msg.sender) / divisor);
        pair.burn(msg.sender);
    }

    /// Pays `token` into the pool for the other: `amount` of it, or if negative as much as buys so much of the other.
    function tradeAt(IPool pool, address token, int256 amount, address to) external {
        bool isFirst = token == pool.token0();
        uint160 limit = isFirst ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        pool.swap(to, isFirst, amount, limit, abi.encode(msg.sender));
    }

    function provideAt(IPool pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.mint(msg.sender, lower, upper, liquidity, abi.encode(msg.sender));
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        pay(amount0 > 0 ? uint256(amount0) : 0, amount1 > 0 ? uint256(amount1) : 0, data);
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        pay(amount0, amount1, data);
    }

    function pay(uint256 amount0, uint256 amount1, bytes calldata data) private {
        address payer = abi.decode(data, (address));
        if (amount0 > 0) IERC20(IPool(msg.sender).token0()).transferFrom(payer, msg.sender, amount0);
        if (amount1 > 0) IERC20(IPool(msg.sender).token1()).transferFrom(payer, msg.sender, amount1);
    }
}
