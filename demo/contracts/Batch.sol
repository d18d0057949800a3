// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// Many calls in one transaction, as routers and airdrops make them. A call that fails is passed over.
contract Batch is ERC1155Holder {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    receive() external payable {}

    function run(Call[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done, ) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            done;
        }
    }

    /// Moves all that `from` holds and has approved.
    function sweep(IERC20 token, address from, address to) external {
        token.transferFrom(from, to, token.balanceOf(from));
    }

    /// Moves an id from whoever owns it and has approved.
    function passOn(IERC721 collection, uint256 id, address to) external {
        collection.transferFrom(collection.ownerOf(id), to, id);
    }
}
