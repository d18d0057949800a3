// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Burnable} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Burnable.sol";

/// Amounts of many ids, one by one and in batches. Anyone may mint, holders may burn.
contract Goods is ERC1155Burnable {
    string public constant name = "Market Goods";
    string public constant symbol = "GOODS";

    constructor() ERC1155("https://goods.example/{id}.json") {}

    function mintSome(address to, uint256 id, uint256 amount) external {
        _mint(to, id, amount, "");
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external {
        _mintBatch(to, ids, amounts, "");
    }
}
