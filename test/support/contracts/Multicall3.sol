// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// The part of Multicall3 that is used, with the behaviour of the deployed one.
contract Multicall3 {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
        }
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function getEthBalance(address addr) external view returns (uint256) {
        return addr.balance;
    }
}

/// Burns all gas it is given when asked for its name, and has a symbol.
contract GasBurner {
    function name() external pure returns (string memory) {
        assembly {
            invalid()
        }
    }

    function symbol() external pure returns (string memory) {
        return "BURN";
    }
}

/// Answers everything with so many bytes that a caller who keeps them runs out of gas.
contract Flooder {
    fallback() external {
        assembly {
            return(0, 3000000)
        }
    }
}
