// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Burnable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Burnable.sol";
import {ERC721Consecutive} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Consecutive.sol";

/// An ordinary collection. Anyone may mint an id that nobody owns: one that was burnt comes back.
contract Cards is ERC721Burnable {
    constructor() ERC721("Harbour Postcards", "CARD") {}

    function mintId(address to, uint256 id) external {
        _mint(to, id);
    }

    function _baseURI() internal pure override returns (string memory) {
        return "https://cards.example/";
    }
}

/// A collection whose first ids were all minted by two logs (ERC-2309).
contract Members is ERC721Consecutive, ERC721Burnable {
    constructor(address first, address second) ERC721("Founding Members", "MEMBER") {
        _mintConsecutive(first, 20);
        _mintConsecutive(second, 5);
    }

    function _ownerOf(uint256 id) internal view override(ERC721, ERC721Consecutive) returns (address) {
        return super._ownerOf(id);
    }

    function _update(address to, uint256 id, address auth)
        internal
        override(ERC721, ERC721Consecutive)
        returns (address)
    {
        return super._update(to, id, auth);
    }
}
