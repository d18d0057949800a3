// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// Says nothing when it is made.
contract Quiet is ERC20 {
    constructor() ERC20("Quiet", "QUIET") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Its first transfer is in its constructor.
contract SelfMinting is ERC20 {
    constructor() ERC20("Self-minting", "SELF") {
        _mint(msg.sender, 5);
    }
}

/// Makes contracts from within.
contract Factory {
    event Made(address token);

    function make(bytes32 salt) external {
        emit Made(address(new Quiet{salt: salt}()));
    }

    function makeAndMintMany(bytes32[] calldata salts) external {
        for (uint256 place = 0; place < salts.length; place++) makeAndMint(salts[place]);
    }

    function makeAndMint(bytes32 salt) public {
        Quiet token = new Quiet{salt: salt}();
        token.mint(msg.sender, 7);
    }

    function nothing() external {}

    function place(bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(type(Quiet).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}

/// Every id answers in another way.
contract Gallery is ERC721 {
    constructor() ERC721("Gallery", "ART") {}

    function tokenURI(uint256 id) public pure override returns (string memory) {
        if (id == 1) return "ipfs://work/1.json";
        if (id == 2) return "";
        if (id == 3) revert("no such work");
        if (id == 4) return string(new bytes(8192));
        if (id == 5) return string(abi.encodePacked("  data:", bytes1(0xff), bytes1(0x00), "5 "));
        bytes memory long = new bytes(id);
        for (uint256 i = 0; i < id; i++) long[i] = "x";
        return string(long);
    }
}
