// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Token} from "./Token.sol";

/// Keeps 1 % of every transfer for a collector, and says so: one Transfer for the fee, one for the rest.
contract TollToken is Token {
    address private immutable collector;

    constructor(string memory name, string memory symbol, address collector_) Token(name, symbol, 18) {
        collector = collector_;
    }

    function _update(address from, address to, uint256 amount) internal override {
        uint256 fee = from == address(0) || to == address(0) ? 0 : amount / 100;
        if (fee > 0) super._update(from, collector, fee);
        super._update(from, to, amount - fee);
    }
}
