// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// One contract, three standards, as bridges and "hybrid" tokens have them: an amount is an ERC-20's, a numbered ticket
/// an ERC-721's, and a kind of goods an ERC-1155's.
contract Mixed {
    string public constant name = "Three in One";
    string public constant symbol = "TRIO";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) private amounts;
    mapping(address => mapping(uint256 => uint256)) private goods;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount
    );

    function balanceOf(address holder) external view returns (uint256) {
        return amounts[holder];
    }

    function balanceOf(address holder, uint256 id) external view returns (uint256) {
        return goods[holder][id];
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        amounts[to] += amount;
        emitAmount(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        amounts[msg.sender] -= amount;
        amounts[to] += amount;
        emitAmount(msg.sender, to, amount);
        return true;
    }

    function takeId(uint256 id) external {
        address from = ownerOf[id];
        ownerOf[id] = msg.sender;
        emitId(from, msg.sender, id);
    }

    function mintSome(address to, uint256 id, uint256 amount) external {
        goods[to][id] += amount;
        emit TransferSingle(msg.sender, address(0), to, id, amount);
    }

    function tokenURI(uint256) external pure returns (string memory) {
        return "";
    }

    /// Solidity has no two events of one signature and different indexes.
    function emitAmount(address from, address to, uint256 amount) private {
        bytes32 signature = keccak256("Transfer(address,address,uint256)");
        assembly {
            mstore(0, amount)
            log3(0, 32, signature, from, to)
        }
    }

    function emitId(address from, address to, uint256 id) private {
        bytes32 signature = keccak256("Transfer(address,address,uint256)");
        assembly {
            log4(0, 0, signature, from, to, id)
        }
    }
}

/// A collection that is careless with the truth: its Transfer names whom the caller likes as the one who gave.
contract Careless {
    string public constant name = "Careless Cats";
    string public constant symbol = "CATS";
    mapping(uint256 => address) private owners;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function ownerOf(uint256 id) external view returns (address) {
        require(owners[id] != address(0), "nobody's");
        return owners[id];
    }

    /// To the zero address: burnt.
    function claim(address from, address to, uint256 id) external {
        if (owners[id] != address(0)) balanceOf[owners[id]] -= 1;
        if (to != address(0)) balanceOf[to] += 1;
        owners[id] = to;
        emit Transfer(from, to, id);
    }
}
