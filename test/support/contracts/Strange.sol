// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {Token} from "../../../demo/contracts/Token.sol";

/// name() reverts, symbol() is empty.
contract NamelessToken is Token {
    constructor() Token("", "", 18) {}

    function name() public pure override returns (string memory) {
        revert("no name");
    }
}

/// A name with NUL and bytes that are no UTF-8; a symbol of more than 256 characters.
contract GarbledToken is Token {
    constructor() Token("", "", 18) {}

    function name() public pure override returns (string memory) {
        bytes memory text = hex"2000476172626c6564ff00c328";
        return string(text);
    }

    function symbol() public pure override returns (string memory) {
        bytes memory text = new bytes(300);
        for (uint256 i = 0; i < 300; i++) text[i] = "g";
        return string(text);
    }
}

/// Announces transfers that never happened, as airdrop spam does: its events are not the truth.
contract LyingToken is Token {
    constructor() Token("Free Money", "FREE", 18) {}

    function pretend(address from, address to, uint256 amount) external {
        emit Transfer(from, to, amount);
    }
}

/// Emits Transfer in shapes that are no token's.
contract MalformedToken {
    bytes32 private constant TRANSFER = keccak256("Transfer(address,address,uint256)");

    function emitAll() external {
        bytes32 transfer = TRANSFER;
        assembly {
            mstore(0, 1)
            mstore(32, 2)
            log1(0, 32, transfer) // nobody to nobody
            log2(0, 32, transfer, caller()) // one address only
            log3(0, 64, transfer, caller(), caller()) // two amounts
            log3(0, 0, transfer, caller(), caller()) // no amount
            log3(0, 31, transfer, caller(), caller()) // a short amount
            log3(0, 32, transfer, not(0), caller()) // an address of 32 bytes
            log4(0, 32, transfer, caller(), caller(), 7) // an ERC-721 Transfer with data
        }
    }
}

/// Says whatever it is told to.
contract Parrot {
    function say(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory text = data;
        (uint256 count, bytes32[4] memory t) = (topics.length, [bytes32(0), 0, 0, 0]);
        for (uint256 i = 0; i < count; i++) t[i] = topics[i];
        assembly {
            let start := add(text, 32)
            let size := mload(text)
            switch count
            case 0 { log0(start, size) }
            case 1 { log1(start, size, mload(t)) }
            case 2 { log2(start, size, mload(t), mload(add(t, 32))) }
            case 3 { log3(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
            default { log4(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
        }
    }
}

/// Emits the events of wrapped native without being configured as one: they must not count.
contract Bank {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    function emitBoth() external {
        emit Deposit(msg.sender, 5);
        emit Withdrawal(msg.sender, 2);
    }
}

contract Collectible is ERC721 {
    uint256 private last;

    constructor() ERC721("Collectible", "NFT") {}

    function mint(address to) external {
        _mint(to, ++last);
    }
}

contract Items is ERC1155 {
    constructor() ERC1155("") {}

    function mint(address to, uint256 amount) external {
        _mint(to, 1, amount, "");
        uint256[] memory ids = new uint256[](2);
        uint256[] memory amounts = new uint256[](2);
        (ids[0], ids[1], amounts[0], amounts[1]) = (2, 3, amount, amount);
        _mintBatch(to, ids, amounts, "");
    }
}

/// Asks many balances in one call: for each token its totalSupply, then balanceOf each holder; 0 where there is no token.
contract Census {
    function ask(address[] calldata tokens, address[] calldata holders) external view returns (uint256[] memory answers) {
        answers = new uint256[](tokens.length * (holders.length + 1));
        uint256 next;
        for (uint256 t = 0; t < tokens.length; t++) {
            answers[next++] = read(tokens[t], abi.encodeCall(Token(tokens[t]).totalSupply, ()));
            for (uint256 h = 0; h < holders.length; h++) {
                answers[next++] = read(tokens[t], abi.encodeCall(Token(tokens[t]).balanceOf, (holders[h])));
            }
        }
    }

    /// ownerOf each id; nobody where it reverts.
    function owners(address collection, uint256[] calldata ids) external view returns (address[] memory answers) {
        answers = new address[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            answers[i] = address(uint160(read(collection, abi.encodeWithSignature("ownerOf(uint256)", ids[i]))));
        }
    }

    /// Of each holder, what it has of each id.
    function amounts(address goods, address[] calldata holders, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory answers)
    {
        answers = new uint256[](holders.length * ids.length);
        uint256 next;
        for (uint256 h = 0; h < holders.length; h++) {
            for (uint256 i = 0; i < ids.length; i++) {
                bytes memory call = abi.encodeWithSignature("balanceOf(address,uint256)", holders[h], ids[i]);
                answers[next++] = read(goods, call);
            }
        }
    }

    function read(address token, bytes memory call) private view returns (uint256) {
        (bool done, bytes memory answer) = token.staticcall(call);
        return done && answer.length == 32 ? abi.decode(answer, (uint256)) : 0;
    }
}
