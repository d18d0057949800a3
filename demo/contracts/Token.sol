// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";

/// An ordinary token of any decimals. Anyone may mint, holders may burn.
contract Token is ERC20Burnable {
    uint8 private immutable places;

    constructor(string memory name, string memory symbol, uint8 places_) ERC20(name, symbol) {
        places = places_;
    }

    function decimals() public view override returns (uint8) {
        return places;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
