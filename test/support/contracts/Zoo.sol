// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Balances in the plainest way, for tokens that change them as they like.
abstract contract Plain {
    string public constant name = "Plain";
    string public constant symbol = "PLAIN";
    uint8 public constant decimals = 18;
    uint256 internal supply;
    mapping(address => uint256) internal amounts;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function totalSupply() external view virtual returns (uint256) {
        return supply;
    }

    function balanceOf(address holder) external view virtual returns (uint256) {
        return amounts[holder];
    }

    function mint(address to, uint256 amount) external virtual {
        supply += amount;
        amounts[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        amounts[msg.sender] -= amount;
        amounts[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// Everyone's balance grows with the index, and no event says so.
contract Rebasing is Plain {
    uint256 public index = 1e18;

    function totalSupply() external view override returns (uint256) {
        return supply * index / 1e18;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        return amounts[holder] * index / 1e18;
    }

    function mint(address to, uint256 amount) external override {
        supply += amount * 1e18 / index;
        amounts[to] += amount * 1e18 / index;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        amounts[msg.sender] -= amount * 1e18 / index;
        amounts[to] += amount * 1e18 / index;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function rebase(uint256 next) external {
        index = next;
    }
}

/// Mints for somebody, and takes it back, without a word.
contract Silent is Plain {
    function slip(address to, uint256 amount) external {
        supply += amount;
        amounts[to] += amount;
    }

    function takeBack(address from, uint256 amount) external {
        supply -= amount;
        amounts[from] -= amount;
    }
}

/// Says that all of an amount came, and keeps a tenth of it for its collector.
contract Skimming is Plain {
    address public constant collector = address(0xC011EC7);

    function transfer(address to, uint256 amount) external override returns (bool) {
        amounts[msg.sender] -= amount;
        amounts[to] += amount - amount / 10;
        amounts[collector] += amount / 10;
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// To its zero address one may transfer: its supply stays, and the address has it.
contract Keeping is Plain {}

/// The same, but its zero address has no balance that it would tell.
contract KeepingShy is Plain {
    function balanceOf(address holder) external view override returns (uint256) {
        require(holder != address(0), "nobody");
        return amounts[holder];
    }
}

/// decimals() reverts; in all else honest.
contract Countless is ERC20 {
    constructor() ERC20("Countless", "CNT") {}

    function decimals() public pure override returns (uint8) {
        revert("uncounted");
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Runs the code of another contract on its own storage, which may be changed for another's.
contract Proxy {
    bytes32 private constant SLOT = keccak256("zoo.implementation");

    constructor(address first) {
        upgrade(first);
    }

    function upgrade(address next) public {
        bytes32 slot = SLOT;
        assembly {
            sstore(slot, next)
        }
    }

    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// ERC-404 of the first kind: ids move by ERC-721 events, and what it counts are amounts of 18 decimals.
contract Hybrid {
    string public constant name = "Hybrid";
    string public constant symbol = "HYB";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event ERC20Transfer(address indexed from, address indexed to, uint256 amount);

    /// Half of another one comes with each.
    function mintId(address to, uint256 id) external {
        uint256 amount = 3 * 10 ** 18 / 2;
        totalSupply += amount;
        balanceOf[to] += amount;
        ownerOf[id] = to;
        emit ERC20Transfer(address(0), to, amount);
        emit Transfer(address(0), to, id);
    }

    /// Of a fraction no id moves.
    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit ERC20Transfer(msg.sender, to, amount);
    }
}
