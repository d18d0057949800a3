/** Types of the service's answers, made by `bun run client:types` from its OpenAPI document. */
// document ea4e2227eb0a492157c651decb09a53c215e50c2ee2e60865caf9f650669dc06
// text 6a778340681d45d4630a783e06673af5dea71e1066027c71d719cebb5b8e13f1
export interface paths {
    "/v2/network/{networkId}/evm/{chainId}/erc1155": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** ERC-1155 token contracts */
        get: operations["erc1155"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc1155-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** ERC-1155 transfers, a row per id */
        get: operations["erc1155Transfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc1155/{address}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Holders of an ERC-1155 contract, a row per address and id */
        get: operations["erc1155Holders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** ERC-20 token contracts */
        get: operations["erc20"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20-swaps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Swaps of ERC-20 tokens */
        get: operations["erc20Swaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** ERC-20 transfers */
        get: operations["erc20Transfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20/{address}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Holders of an ERC-20 token, each with its fraction of the supply */
        get: operations["erc20Holders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20/{address}/holders/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whose balance changed between two blocks: who entered, who left, whose is another
         * @description By address. The state after `blockNumberFrom` (absent = before the first block, when nobody had anything) is compared with that after `blockNumberTo` (absent = the newest); times name the last blocks by then. The sum of `change` is the change of what events told of the supply.
         */
        get: operations["erc20HoldersDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20/{address}/supply/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Each block that minted or burnt, with the supply after it */
        get: operations["erc20SupplyHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20/{address}/price/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The prices that are kept of a token: at the beginnings of hours
         * @description A price speaks for its hour and, where no newer one is, for those up to `validTo`. All values of the past are made of these.
         */
        get: operations["erc20PriceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc721": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** ERC-721 token contracts */
        get: operations["erc721"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc721-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** ERC-721 transfers, a row per id */
        get: operations["erc721Transfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc721/{address}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Owners of ids of an ERC-721 contract, each with how many */
        get: operations["erc721Holders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc721/{address}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Live ids of an ERC-721 contract */
        get: operations["erc721Tokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/address/{address}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an address allows others to move, by contract
         * @description Which approvals there are is told by the logs; what is left of each by its contract at the as-of block (`source` is `node`), or else by the last log (`ledger`). Approvals of before `START_BLOCK`, and with `TOKENS` of other contracts, are not listed, though they may stand. Needs `APPROVALS_<chain id>=on`.
         */
        get: operations["addressApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/address/{address}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an address holds, of all standards, with what it is worth
         * @description Balances above zero, each with its value where a price is known. ERC-721 are listed by collection, ERC-1155 by id. Of now, the native currency and tokens in doubt (`auditState`) have the node's word (`source`).
         */
        get: operations["addressTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/tokens-of": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What up to 50 addresses hold, as one list
         * @description Balances above zero, each with its value where a price is known. ERC-721 are listed by collection, ERC-1155 by id. Of now, the native currency and tokens in doubt (`auditState`) have the node's word (`source`).
         */
        get: operations["tokensOf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/address/{address}/portfolio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What all that an address holds is worth, by chain and in all
         * @description Sums of the rows of `…/tokens` with the same parameters, to the last digit. What has no price is counted, and has no value. As NDJSON and CSV a row is a chain's part.
         */
        get: operations["addressPortfolio"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/address/{address}/portfolio/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the ERC-20 tokens of an address, and its native currency, were worth, through time
         * @description Each row names the block that its balances are of, and has the prices of the hour that begins then (`…/price/history`). Of `all` a row is the sum over the chains, at times of which each of their ledgers can speak. `count` is of hours and days.
         */
        get: operations["addressPortfolioHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/address/{address}/tokens/{token}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Each block that touched what an address has of a token, with what it was worth then
         * @description A block that touched it and left it as it was has `change` 0. Blocks that did not touch it have no row.
         */
        get: operations["addressTokensBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/supply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Total and circulating supply of a chain's native currency, in whole units
         * @description `all` gives one object for each chain that has a source of its supply.
         */
        get: operations["supply"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/top-erc20": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Trusted ERC-20 tokens: those on a configured token list */
        get: operations["topErc20"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/status/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How true each token's figures are: what comparing them with the contract itself at the same block has shown
         * @description By chain, then address, then standard. A token that nobody has compared yet is `unverified`.
         */
        get: operations["statusAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc20/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One ERC-20 contract: what the list says, and its first and last transfer */
        get: operations["erc20One"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc721/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One ERC-721 contract: what the list says, and its first and last transfer */
        get: operations["erc721One"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/network/{networkId}/evm/{chainId}/erc1155/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One ERC-1155 contract: what the list says, and its first and last transfer */
        get: operations["erc1155One"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the store answers and every chain is near its head
         * @description 503 with the same body until it is so. `degraded` where it is so and a chain has a `problem`.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Approval: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /**
             * @description `amount` of an ERC-20, one `tokenId` of an ERC-721, or `operator`: all ids of the owner in the contract
             * @enum {string}
             */
            kind: "amount" | "tokenId" | "operator";
            /** @description Address, 20 bytes in lower-case hex */
            owner: string;
            /** @description Who may move what the owner has. Address, 20 bytes in lower-case hex */
            spender: string;
            /** @description The id, in decimal; of kind `tokenId`. Decimal integer in a string */
            tokenId?: string;
            /** @description What may still be taken, raw subunits: `allowance()` where `source` is `node`, else what was last approved; of kind `amount`. Decimal integer in a string */
            amount?: string;
            /** @description What was last approved; of kind `amount`. Decimal integer in a string */
            approvedAmount?: string;
            /** @description Whether it still holds: by the contract where `source` is `node`, else by the logs; not of kind `amount` */
            isApproved?: boolean;
            /**
             * @description `node`: the contract's own answer at the as-of block; `ledger`: what the logs said last
             * @enum {string}
             */
            source: "node" | "ledger";
            /** @description Number of the block of that log */
            blockNumber: number;
            /** @description Hash, 32 bytes in lower-case hex */
            txHash: string;
            /** @description The log's place in its block */
            logIndex: number;
            /** @description The transaction's place in its block; absent = the node did not say */
            transactionIndex?: number;
            /**
             * Format: date-time
             * @description The block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
        };
        ApprovalList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Approval"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        AuditDifference: {
            /**
             * @description Which figure is not the same
             * @enum {string}
             */
            of: "supply" | "balance" | "owner";
            /** @description Whose balance it is. Address, 20 bytes in lower-case hex */
            holder?: string;
            /** @description Of which id. Decimal integer in a string */
            tokenId?: string;
            /** @description What the ledger says: raw subunits, or an owner */
            ledger: string;
            /** @description What the contract says at that block */
            node: string;
            /** @description What the contract counts, where that is no drift. `amounts`: amounts in place of ids, as balances and supply of an ERC-721 (ERC-404): those are the ledger's; absent = what the ledger counts */
            counts?: "amounts";
        };
        BalanceChange: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            /** @description Where an id of an ERC-1155 is asked about. Decimal integer in a string */
            tokenId?: string;
            blockNumber: number;
            /**
             * Format: date-time
             * @description The block's time; absent = neither the ledger nor the node tells it. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp?: string;
            /** @description After the block: raw subunits, ids of an ERC-721, the sum over ids of an ERC-1155; absent = the token is older than the ledger, or may be and this would be below zero. Decimal integer in a string */
            balance?: string;
            /** @description By what the block changed it, as events told; 0 where it came and went. Where they made it less than nothing, which is answered as 0, it is not the difference of two balances. Decimal integer in a string */
            change: string;
            /** @description Those whose logs touched it in that block, in their order */
            transactions: string[];
            /** @description US dollars with 18 decimals of one whole token, in that hour; absent = no price is known. Decimal integer in a string */
            price?: string;
            /** @description US dollars, a plain decimal, at that price; absent = no price, no decimals or no balance is known */
            valueUsd?: string;
        };
        BalanceChangeList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["BalanceChange"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        ChainPortfolio: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Sum of the rows' `valueUsd`, to the last digit; absent = tokens are held, and none has a value */
            valueUsd?: string;
            /** @description Rows that `…/tokens` has with the same parameters */
            tokens: number;
            /** @description Of these, how many have a value */
            priced: number;
            /** @description And how many have none */
            unpriced: number;
            /** @description The block after which it is so */
            blockNumber: number;
            /** @description Its hash; absent of an older block that no reorg replaces any more. Hash, 32 bytes in lower-case hex */
            blockHash?: string;
            /**
             * Format: date-time
             * @description Its time; absent where the ledger does not know it: of a block without a transfer. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp?: string;
            /**
             * @description Where the native currency or tokens in doubt are among them: `node` = the node told all of those
             * @enum {string}
             */
            source?: "node" | "ledger";
            /** @description How many of the `tokens` have the ledger's figure, not their contract's, though it is in doubt: the audit has them in `drift` or `rebasing`, or they may be older than the ledger; absent = none */
            suspect?: number;
            /** @description The first block that the ledger has, where that is above 0: a holding that no event touched since then is not counted */
            firstBlockNumber?: number;
        };
        CreateOperation: {
            /**
             * Format: date-time
             * @description Time of the block that the contract was made in. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp?: string;
            /** @description The transaction that made it. Hash, 32 bytes in lower-case hex */
            txHash?: string;
        };
        Erc1155Holder: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description The id, in decimal. Decimal integer in a string */
            tokenId: string;
            /** @description How much of the id. Decimal integer in a string */
            balance: string;
            /** @description With `include=isContract` or `excludeContracts=true`: whether there was code at the address when the node was last asked; null = it was not yet asked, and is next. A delegation (EIP-7702) is none */
            isContract?: boolean | null;
        };
        Erc1155HolderList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc1155Holder"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Erc1155Transfer: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Number of the block */
            blockNumber: number;
            /** @description Hash, 32 bytes in lower-case hex */
            txHash: string;
            /** @description The log's place in its block */
            logIndex: number;
            /** @description Address, 20 bytes in lower-case hex */
            from: string;
            /** @description Address, 20 bytes in lower-case hex */
            to: string;
            /**
             * Format: date-time
             * @description The block's time, as `timestamp`. ISO 8601 date and time, UTC, with milliseconds
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /** @description The id, in decimal. Decimal integer in a string */
            tokenId: string;
            /** @description How much of the id. Decimal integer in a string */
            amount: string;
            /** @description Absent = unknown */
            tokenName?: string;
            /** @description Absent = unknown */
            tokenSymbol?: string;
            /** @description With `include=transactionIndex`: the transaction's place in its block; absent = the node did not say, or the row was stored by a version that kept none */
            transactionIndex?: number;
            /** @description With `include=operator`: who made the transfer; absent = the row was stored by a version that kept none. Address, 20 bytes in lower-case hex */
            operator?: string;
        };
        Erc1155TransferList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc1155Transfer"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Erc20Contract: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description As the contract says, cleaned; absent = unknown */
            name?: string;
            /** @description As the contract says, cleaned; absent = unknown */
            symbol?: string;
            /** @description 0 to 255; absent = unknown, which is not 0 */
            decimals?: number;
            /** @description Raw subunits. Decimal integer in a string */
            totalSupply?: string;
            /** @description US dollars with 18 decimals, of one whole token. Decimal integer in a string */
            price?: string;
            /** @description US dollars with 18 decimals. Decimal integer in a string */
            marketCap?: string;
            createOperation?: components["schemas"]["CreateOperation"];
            transfers?: components["schemas"]["TransferCounts"];
            /** @description Addresses with a balance above zero */
            holdersCount?: number;
            /** @description Whether it stands on a configured token list */
            blueCheckmark: boolean;
            /** @description URL of its logo, as a token list says it */
            logoUri?: string;
            /** @description As a token list or the operator says it */
            website?: string;
            /** @description The same */
            description?: string;
            /** @description Transfers since the ledger's first block */
            transfersCount: number;
            firstTransfer?: components["schemas"]["TransferPlace"];
            lastTransfer?: components["schemas"]["TransferPlace"];
        };
        Erc20Swap: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Hash, 32 bytes in lower-case hex */
            txHash: string;
            /**
             * Format: date-time
             * @description The block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
            /** @description tokenOut per tokenIn, in whole units */
            price: number;
            /** @description The configured name of the exchange; absent = none */
            dex?: string;
            /** @description What the trader paid with. Address, 20 bytes in lower-case hex */
            tokenIn: string;
            /** @description What the trader bought. Address, 20 bytes in lower-case hex */
            tokenOut: string;
            /** @description Raw subunits. Decimal integer in a string */
            tokenInQty: string;
            /** @description Raw subunits. Decimal integer in a string */
            tokenOutQty: string;
            /** @description 0 to 255; 0 also where the token tells none */
            tokenInDecimals: number;
            /** @description 0 to 255; 0 also where the token tells none */
            tokenOutDecimals: number;
            /** @description The factory's configured label, or its address */
            sourceDeployer?: string;
        };
        Erc20SwapList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc20Swap"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Erc20Token: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description As the contract says, cleaned; absent = unknown */
            name?: string;
            /** @description As the contract says, cleaned; absent = unknown */
            symbol?: string;
            /** @description 0 to 255; absent = unknown, which is not 0 */
            decimals?: number;
            /** @description Raw subunits. Decimal integer in a string */
            totalSupply?: string;
            /** @description US dollars with 18 decimals, of one whole token. Decimal integer in a string */
            price?: string;
            /** @description US dollars with 18 decimals. Decimal integer in a string */
            marketCap?: string;
            createOperation?: components["schemas"]["CreateOperation"];
            transfers?: components["schemas"]["TransferCounts"];
            /** @description Addresses with a balance above zero */
            holdersCount?: number;
        };
        Erc20TokenList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc20Token"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Erc20Transfer: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Number of the block */
            blockNumber: number;
            /** @description Hash, 32 bytes in lower-case hex */
            txHash: string;
            /** @description The log's place in its block */
            logIndex: number;
            /** @description Address, 20 bytes in lower-case hex */
            from: string;
            /** @description Address, 20 bytes in lower-case hex */
            to: string;
            /**
             * Format: date-time
             * @description The block's time, as `timestamp`. ISO 8601 date and time, UTC, with milliseconds
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
            /** @description Raw subunits. Decimal integer in a string */
            amount: string;
            /** @description US dollars at the time of the transfer, a plain decimal; absent = no price is known */
            amountInUsd?: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /** @description Absent = unknown */
            tokenName?: string;
            /** @description Absent = unknown */
            tokenSymbol?: string;
            /** @description 0 to 255; absent = unknown */
            tokenDecimals?: number;
            /** @description With `include=transactionIndex`: the transaction's place in its block; absent = the node did not say, or the row was stored by a version that kept none */
            transactionIndex?: number;
            /**
             * @description With `include=wraps`: the row is no `Transfer` but a Deposit (from the zero address) or a Withdrawal (to it) of a wrapped native token
             * @enum {string}
             */
            wrap?: "deposit" | "withdrawal";
        };
        Erc20TransferList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc20Transfer"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Erc721Token: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /** @description Decimal integer in a string */
            tokenId: string;
            /** @description What the contract answers to tokenURI; absent = unknown, or of more than 8,192 bytes */
            tokenUri?: string;
            /**
             * Format: date-time
             * @description Time of the latest mint of this id. ISO 8601 date and time, UTC, with milliseconds
             */
            createdAt?: string;
        };
        Erc721TokenList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc721Token"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Erc721Transfer: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Number of the block */
            blockNumber: number;
            /** @description Hash, 32 bytes in lower-case hex */
            txHash: string;
            /** @description The log's place in its block */
            logIndex: number;
            /** @description Address, 20 bytes in lower-case hex */
            from: string;
            /** @description Address, 20 bytes in lower-case hex */
            to: string;
            /**
             * Format: date-time
             * @description The block's time, as `timestamp`. ISO 8601 date and time, UTC, with milliseconds
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /** @description The id, in decimal. Decimal integer in a string */
            tokenId: string;
            /** @description Absent = unknown */
            tokenName?: string;
            /** @description Absent = unknown */
            tokenSymbol?: string;
            /** @description With `include=transactionIndex`: the transaction's place in its block; absent = the node did not say, or the row was stored by a version that kept none */
            transactionIndex?: number;
        };
        Erc721TransferList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Erc721Transfer"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Holder: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description Raw subunits of an ERC-20, number of ids of an ERC-721. Decimal integer in a string */
            balance: string;
            /** @description Fraction of the supply, 0 to 1 with up to 6 decimals; absent = unknown */
            percentage?: number;
            /** @description With `include=rank`: its place among all holders, from 1; absent = beyond the first 1,000,000 */
            rank?: number;
            /** @description With `include=isContract` or `excludeContracts=true`: whether there was code at the address when the node was last asked; null = it was not yet asked, and is next. A delegation (EIP-7702) is none */
            isContract?: boolean | null;
        };
        HolderChange: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /**
             * @description `entered`: held nothing before; `left`: holds nothing after
             * @enum {string}
             */
            kind: "entered" | "left" | "changed";
            /** @description After the first block, raw subunits. Decimal integer in a string */
            balanceBefore: string;
            /** @description After the last block. Decimal integer in a string */
            balanceAfter: string;
            /** @description What events told. Where they made a balance less than nothing, which is answered as 0, it is not the difference of the two. The sum over all rows is the change of what events told of the supply. Decimal integer in a string */
            change: string;
        };
        HolderChangeList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["HolderChange"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        HolderList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["Holder"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Link: {
            /** @description Host-relative path of that page; absent = there is none */
            next?: string;
            /** @description The cursor in it; absent = there is none */
            nextToken?: string;
            /** @description Host-relative path of that page; absent = there is none */
            prev?: string;
            /** @description The cursor in it; absent = there is none */
            prevToken?: string;
        };
        NativeProblem: {
            /** @description The HTTP status */
            statusCode: number;
            /** @description A stable word for programs */
            code: string;
            /** @description The status's reason phrase */
            error: string;
            /** @description What was expected and what was given, for people */
            message: string;
        };
        NativeSupplies: {
            chains: components["schemas"]["NativeSupply"][];
        };
        NativeSupply: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Of the native currency */
            symbol: string;
            /** @description Decimal number of whole native units */
            totalSupply: string;
            /** @description Decimal number of whole native units */
            circulatingSupply: string;
            /** @description The block that the supply is of */
            blockNumber: number;
            /**
             * Format: date-time
             * @description That block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
        };
        NewWebhook: {
            /** @description Where batches are sent by POST; private addresses are refused */
            url: string;
            filter?: components["schemas"]["WebhookFilter"] & unknown;
            /** @description `whsec_` and the base64 of 24 to 64 bytes, by which batches are signed; absent = one is made */
            secret?: string;
            /**
             * @description `finalized`: rows of final blocks alone
             * @enum {string}
             */
            delivery?: "instant" | "finalized";
            /** @description The id of an event of these chains, or `beginning`; absent = from now on */
            after?: string;
            /** @description Absent = every chain */
            chainIds?: string[];
        };
        NftCollection: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description As the contract says, cleaned; absent = unknown */
            name?: string;
            /** @description As the contract says, cleaned; absent = unknown */
            symbol?: string;
            createOperation?: components["schemas"]["CreateOperation"];
            transfers?: components["schemas"]["TransferCounts"];
            /** @description Addresses with a balance above zero */
            holdersCount?: number;
            /** @description Whether it stands on a configured token list */
            blueCheckmark: boolean;
            /** @description URL of its logo, as a token list says it */
            logoUri?: string;
            /** @description As a token list or the operator says it */
            website?: string;
            /** @description The same */
            description?: string;
            /** @description Transfers since the ledger's first block */
            transfersCount: number;
            firstTransfer?: components["schemas"]["TransferPlace"];
            lastTransfer?: components["schemas"]["TransferPlace"];
        };
        NftContract: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description As the contract says, cleaned; absent = unknown */
            name?: string;
            /** @description As the contract says, cleaned; absent = unknown */
            symbol?: string;
            createOperation?: components["schemas"]["CreateOperation"];
            transfers?: components["schemas"]["TransferCounts"];
            /** @description Addresses with a balance above zero */
            holdersCount?: number;
        };
        NftContractList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["NftContract"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Portfolio: {
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @description Sum over the chains; absent = tokens are held, and none has a value */
            valueUsd?: string;
            tokens: number;
            priced: number;
            unpriced: number;
            /** @description How many of the `tokens` have the ledger's figure, not their contract's, though it is in doubt: the audit has them in `drift` or `rebasing`, or they may be older than the ledger; absent = none */
            suspect?: number;
            /** @description Ascending by chain id */
            chains: components["schemas"]["ChainPortfolio"][];
        };
        PortfolioPoint: {
            /** @description Absent = the sum over several. Chain identifier, a decimal number in a string */
            chainId?: string;
            /**
             * Format: date-time
             * @description The beginning of the hour or day; with `interval=block` the block's time. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp?: string;
            /** @description The block after which balances are those: the last by then; absent = of several chains, of each its own */
            blockNumber?: number;
            /** @description Of several: how many are in the sum */
            chains?: number;
            /** @description US dollars: the sum of what is priced; absent = tokens are held, and none has a value */
            valueUsd?: string;
            /** @description ERC-20 tokens that are held, and the native currencies that are, or of which no node tells */
            tokens: number;
            /** @description Of these, how many have a value */
            priced: number;
            /** @description And how many have none */
            unpriced: number;
            /**
             * @description Where the native currency is asked: `node` = the node told its balance after the very block; `ledger` = it did not, so it is not in the sum, and counts as one without a value
             * @enum {string}
             */
            source?: "node" | "ledger";
            /** @description How many of the `tokens` have a figure of the ledger that is in doubt: the audit has them in `drift` then, or in `rebasing`, or they may be older than the ledger; absent = none */
            suspect?: number;
        };
        PortfolioPointList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["PortfolioPoint"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        PricePoint: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            /**
             * Format: date-time
             * @description The hour at whose beginning it was the price; 1970 = of all hours before its next point, of a stablecoin. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string;
            /** @description US dollars with 18 decimals of one whole token. Decimal integer in a string */
            price: string;
            /**
             * Format: date-time
             * @description The end of the last hour that it speaks for, where no newer one is; absent = until a newer one. ISO 8601 date and time, UTC, with milliseconds
             */
            validTo?: string;
        };
        PricePointList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["PricePoint"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        ReadServer: {
            /** @description Scheme, host and port */
            server: string;
            /** @description Whether reads go there now */
            used: boolean;
            /** @description Whether it replays another server's log */
            standby: boolean;
            /** @description Milliseconds that it is behind, at most */
            lagMs?: number;
            /** @description Why it is passed over */
            problem?: string;
        };
        Readiness: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Near enough to its head, its node speaks, and its requests are not refused here */
            ready: boolean;
            /**
             * @description What its ingestion does
             * @enum {string}
             */
            phase: "waiting" | "backfill" | "copying" | "deriving" | "indexing" | "live" | "stopped";
            /**
             * @description Another process follows it, and told this; absent = this one does
             * @enum {boolean}
             */
            elsewhere?: true;
            /** @description The node's newest block */
            headBlock?: number;
            /** @description The newest block that is stored */
            indexedBlock?: number;
            /** @description How many blocks are between the two */
            lagBlocks?: number;
            /** @description How many there may be */
            maxLag: number;
            /** @description Where the stored history starts */
            firstBlock: number;
            /** @description How fast logs are stored */
            logsPerSecond: number;
            /** @description How fast blocks are stored */
            blocksPerSecond: number;
            /** @description Far behind the head: which share of the work is done, 0 to 1, weighted with what the blocks hold */
            done?: number;
            /** @description How long it takes to the head at this pace */
            secondsLeft?: number;
            /** @description Logs left out since the start; absent = none */
            skipped?: {
                /** @description Logs of a shape that says nothing sure */
                malformed: number;
                /** @description Swaps at what is no pool, or in one that nobody initialized */
                unknownPool: number;
                /** @description Former name of `malformed`, for one version */
                odd: number;
                /** @description Former name of `unknownPool`, for one version */
                poolless: number;
            };
            /** @description Reorgs since the start, the blocks they took back, and the most that one did; absent = none */
            reorgs?: {
                count: number;
                blocks: number;
                deepest: number;
            };
            /** @description Answers of the node that were refused since the start, by what was wrong with them; absent = none */
            faults?: {
                [key: string]: number;
            };
            /** @description Where blocks below finality come from besides the node; absent = the node alone */
            history?: {
                /** @description Scheme and host of the portal, or the folder's name */
                source: string;
                /** @description Whether it is read at the moment */
                used: boolean;
                /** @description Why it is not; absent = it was not left */
                left?: string;
                /** @description Blocks that came from it since the start */
                blocks: number;
                /** @description Blocks below finality that came from the node */
                blocksOfNode: number;
                /** @description Blocks of it that the node's own logs were held against */
                blocksCompared: number;
            };
            /** @description How far prices of past hours are; absent = none are looked for, or not yet */
            prices?: {
                /** @description Hours of the past that have no prices yet */
                hoursLeft: number;
                /** @description All hours from then on have theirs: the newest come first; absent = not known */
                from?: string;
            };
            /** @description What keeps it from going on */
            problem?: string;
            /** @description What to know of its data */
            note?: string;
        };
        SupplyChange: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            tokenAddress: string;
            blockNumber: number;
            /**
             * Format: date-time
             * @description The block's time; absent = neither the ledger nor the node tells it. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp?: string;
            /** @description After the block: raw subunits; absent = the token is older than the ledger, or may be and this would be nothing or less. Decimal integer in a string */
            totalSupply?: string;
            /** @description By what the block changed it, as events told; 0 where as much was minted as burnt. Decimal integer in a string */
            change: string;
            /** @description Those whose logs touched it in that block, in their order */
            transactions: string[];
        };
        SupplyChangeList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["SupplyChange"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        TokenAudit: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Address, 20 bytes in lower-case hex */
            address: string;
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            /**
             * @description `exact`: all that was compared with the node is equal; `drift`: something is not; `rebasing`: balances change without events; `unverified`: not compared, or it cannot be
             * @enum {string}
             */
            state: "exact" | "drift" | "rebasing" | "unverified";
            /** @description The block at which both were read last; absent = never */
            blockNumber?: number;
            /**
             * Format: date-time
             * @description Time of that block. ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp?: string;
            /** @description Figures that were compared there */
            compared?: number;
            difference?: components["schemas"]["AuditDifference"] & unknown;
            /** @description Why it is in that state, in plain words */
            reason?: string;
        };
        TokenAuditList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["TokenAudit"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        TransferCounts: {
            /** @description Transfers of the last 24 hours, back from the newest indexed block's time */
            last24h?: number;
            /** @description Those of the last 48 hours */
            last48h?: number;
            /** @description Those of the last 72 hours */
            last72h?: number;
        };
        TransferPlace: {
            /** @description Number of the block */
            blockNumber: number;
            /** @description Hash, 32 bytes in lower-case hex */
            txHash: string;
            /** @description The log's place in its block */
            logIndex: number;
            /**
             * Format: date-time
             * @description ISO 8601 date and time, UTC, with milliseconds
             */
            timestamp: string & unknown;
        };
        WalletToken: {
            /** @description Chain identifier, a decimal number in a string */
            chainId: string;
            /** @description Who holds it. Address, 20 bytes in lower-case hex */
            address: string;
            /** @enum {string} */
            standard: "native" | "erc20" | "erc721" | "erc1155";
            /** @description Absent = the native currency. Address, 20 bytes in lower-case hex */
            tokenAddress?: string;
            /** @description Of an ERC-1155, and with `detail=ids` of an ERC-721. Decimal integer in a string */
            tokenId?: string;
            /** @description Absent = unknown */
            name?: string;
            /** @description Absent = unknown */
            symbol?: string;
            /** @description 0 to 255; absent = unknown, or none */
            decimals?: number;
            /** @description As a token list has it */
            logoUri?: string;
            /** @description Raw subunits; ids of an ERC-721 collection; absent = of the native currency, where the node does not tell it. Decimal integer in a string */
            balance?: string;
            /** @description US dollars with 18 decimals, of one whole token, then; absent = no price is known. Decimal integer in a string */
            price?: string;
            /** @description US dollars, a plain decimal; absent = no price or no decimals are known, which is not 0 */
            valueUsd?: string;
            /** @description Stands on a configured token list */
            blueCheckmark: boolean;
            /** @description The last block that touched the balance; absent = the native currency */
            changedBlockNumber?: number;
            /**
             * @description `exact`: all that was compared with the node is equal; `drift`: something is not; `rebasing`: balances change without events; `unverified`: not compared, or it cannot be
             * @enum {string}
             */
            auditState?: "exact" | "drift" | "rebasing" | "unverified";
            /**
             * @description Of the native currency, and of a token in doubt: `node` = the balance is the node's word at the as-of block; `ledger` = it did not tell
             * @enum {string}
             */
            source?: "node" | "ledger";
        };
        WalletTokenList: {
            /** @description The rows of the page, in their order */
            items: components["schemas"]["WalletToken"][];
            /** @description Total over all pages; present if and only if `count=true` */
            count?: number;
            /**
             * @description `lowerBound`: counting stopped there, the truth is as large or larger; `approx`: estimated, which no list is
             * @enum {string}
             */
            countType?: "exact" | "lowerBound" | "approx";
            link: components["schemas"]["Link"];
        };
        Webhook: {
            id: string;
            url: string;
            chainIds: string[];
            filter: components["schemas"]["WebhookFilter"];
            /**
             * @description `finalized`: rows of final blocks alone
             * @enum {string}
             */
            delivery: "instant" | "finalized";
            /**
             * @description `paused`: nothing is sent until a replay, or `state: active`, wakes it
             * @enum {string}
             */
            state: "active" | "paused";
            /** @description Why it is paused, or what its last failure was; absent = there is none */
            problem?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date and time, UTC, with milliseconds
             */
            createdAt: string;
            /** @description Of the newest batch that was taken: from 1 on without a gap; 0 = none */
            sequence: number;
            /** @description The id behind which it stands; empty = the beginning */
            after: string;
            /** @description Of the batch on its way, that failed */
            attempts: number;
            /**
             * Format: date-time
             * @description Absent = it does not fail. ISO 8601 date and time, UTC, with milliseconds
             */
            failingSince?: string;
            /**
             * Format: date-time
             * @description When the batch is sent again. ISO 8601 date and time, UTC, with milliseconds
             */
            nextTryAt?: string;
        };
        WebhookChange: {
            /** @description Where batches are sent by POST; private addresses are refused */
            url?: string;
            filter?: components["schemas"]["WebhookFilter"] & unknown;
            /** @description `whsec_` and the base64 of 24 to 64 bytes, by which batches are signed; absent = one is made */
            secret?: string;
            /** @enum {string} */
            state?: "active" | "paused";
        };
        WebhookFilter: {
            /** @description Absent = all */
            kinds?: ("transfer" | "swap" | "token")[];
            /** @description Swaps are of `erc20` */
            standard?: ("erc20" | "erc721" | "erc1155")[];
            /** @description The contract; of a swap what was paid or what was got */
            tokenAddress?: string[];
            /** @description Who sends or receives; only transfers have parties */
            address?: string[];
            /** @description Who sends */
            from?: string[];
            /** @description Who receives */
            to?: string[];
        };
        WebhookWithSecret: {
            id: string;
            url: string;
            chainIds: string[];
            filter: components["schemas"]["WebhookFilter"];
            /**
             * @description `finalized`: rows of final blocks alone
             * @enum {string}
             */
            delivery: "instant" | "finalized";
            /**
             * @description `paused`: nothing is sent until a replay, or `state: active`, wakes it
             * @enum {string}
             */
            state: "active" | "paused";
            /** @description Why it is paused, or what its last failure was; absent = there is none */
            problem?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date and time, UTC, with milliseconds
             */
            createdAt: string;
            /** @description Of the newest batch that was taken: from 1 on without a gap; 0 = none */
            sequence: number;
            /** @description The id behind which it stands; empty = the beginning */
            after: string;
            /** @description Of the batch on its way, that failed */
            attempts: number;
            /**
             * Format: date-time
             * @description Absent = it does not fail. ISO 8601 date and time, UTC, with milliseconds
             */
            failingSince?: string;
            /**
             * Format: date-time
             * @description When the batch is sent again. ISO 8601 date and time, UTC, with milliseconds
             */
            nextTryAt?: string;
            /** @description Shown where it was made or changed, and never again */
            secret?: string;
        };
        Webhooks: {
            items: components["schemas"]["Webhook"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    erc1155: {
        parameters: {
            query?: {
                /** @description `<field>` or `<field>,<asc|desc>`. `desc` is (field descending, chain id, address), `asc` its exact reverse; rows without the field come last in both. `transfers` are those of the last 24 hours. */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description These contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description Tokens whose symbol, or a word of whose name (its first four), begins with this text, in any letter case and width, with or without accents, and whatever parts its words (`univ2`, `uni v2` and `UNI-V2` are one symbol); or whose address does (`0x` and 6 digits at least). Trusted ones first, then by symbol before name, the closest and the oldest first; `sort` is not taken beside it */
                search?: string;
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftContractList"];
                };
            };
        };
    };
    erc1155Transfers: {
        parameters: {
            query?: {
                /** @description Transfers of these token contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description Transfers sent by these addresses (the zero address: mints); up to 50 values, joined by OR. Comma-joined or repeated */
                from?: string[];
                /** @description Transfers received by these addresses (the zero address: burns); up to 50 values, joined by OR. Comma-joined or repeated */
                to?: string[];
                /** @description Transfers sent or received by these addresses; up to 50 values, joined by OR. Comma-joined or repeated */
                address?: string[];
                /** @description Transfers of these ids; needs exactly one `tokenAddress` beside it; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenId?: string[];
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description Only of this transaction. The chain's node says in which block it is, unless `blockNumberFrom` and `blockNumberTo` name one block */
                txHash?: string;
                /** @description `true` = only of contracts that stand on a configured token list */
                trusted?: boolean;
                /** @description Fields that rows have on request only. Comma-joined or repeated */
                include?: ("transactionIndex" | "operator")[];
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc1155TransferList"];
                };
            };
        };
    };
    erc1155Holders: {
        parameters: {
            query?: {
                /** @description How many rows a page has */
                limit?: number;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description Only balances from this on: raw subunits, numbers of ids, or amounts of an id */
                minBalance?: string;
                /** @description Only these holders; up to 50 values, joined by OR. Comma-joined or repeated */
                address?: string[];
                /** @description `true` = without holders that are known to be contracts. Rows then say `isContract`: null where nobody has asked yet */
                excludeContracts?: boolean;
                /** @description Fields that rows have on request only. Comma-joined or repeated */
                include?: "isContract"[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc1155HolderList"];
                };
            };
        };
    };
    erc20: {
        parameters: {
            query?: {
                /** @description `<field>` or `<field>,<asc|desc>`. `desc` is (field descending, chain id, address), `asc` its exact reverse; rows without the field come last in both. `transfers` are those of the last 24 hours. */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description These contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description Tokens whose symbol, or a word of whose name (its first four), begins with this text, in any letter case and width, with or without accents, and whatever parts its words (`univ2`, `uni v2` and `UNI-V2` are one symbol); or whose address does (`0x` and 6 digits at least). Trusted ones first, then by symbol before name, the closest and the oldest first; `sort` is not taken beside it */
                search?: string;
                /** @description `true`: only tokens that stand on a configured token list */
                trusted?: boolean;
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc20TokenList"];
                };
            };
        };
    };
    erc20Swaps: {
        parameters: {
            query?: {
                /** @description Swaps from or to these tokens; up to 50 values, joined by OR. Comma-joined or repeated */
                token?: string[];
                /** @description Swaps that paid with these tokens; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenIn?: string[];
                /** @description Swaps that bought these tokens; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenOut?: string[];
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description Only of this transaction. The chain's node says in which block it is, unless `blockNumberFrom` and `blockNumberTo` name one block */
                txHash?: string;
                /** @description `true` = only between tokens that stand on a configured token list, or the native currency */
                trusted?: boolean;
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc20SwapList"];
                };
            };
        };
    };
    erc20Transfers: {
        parameters: {
            query?: {
                /** @description Transfers of these token contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description Transfers sent by these addresses (the zero address: mints); up to 50 values, joined by OR. Comma-joined or repeated */
                from?: string[];
                /** @description Transfers received by these addresses (the zero address: burns); up to 50 values, joined by OR. Comma-joined or repeated */
                to?: string[];
                /** @description Transfers sent or received by these addresses; up to 50 values, joined by OR. Comma-joined or repeated */
                address?: string[];
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description Only of this transaction. The chain's node says in which block it is, unless `blockNumberFrom` and `blockNumberTo` name one block */
                txHash?: string;
                /** @description `true` = only of contracts that stand on a configured token list */
                trusted?: boolean;
                /** @description Fields that rows have on request only. Comma-joined or repeated */
                include?: ("transactionIndex" | "wraps")[];
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc20TransferList"];
                };
            };
        };
    };
    erc20Holders: {
        parameters: {
            query?: {
                /** @description How many rows a page has */
                limit?: number;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description Only balances from this on: raw subunits, numbers of ids, or amounts of an id */
                minBalance?: string;
                /** @description Only these holders; up to 50 values, joined by OR. Comma-joined or repeated */
                address?: string[];
                /** @description `true` = without holders that are known to be contracts. Rows then say `isContract`: null where nobody has asked yet */
                excludeContracts?: boolean;
                /** @description Fields that rows have on request only. Comma-joined or repeated */
                include?: ("rank" | "isContract")[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HolderList"];
                };
            };
        };
    };
    erc20HoldersDiff: {
        parameters: {
            query?: {
                /** @description How many rows a page has */
                limit?: number;
                /** @description The state after this block is what is compared with: what it changed itself is no change */
                blockNumberFrom?: number;
                /** @description The last block whose changes count; absent = the newest */
                blockNumberTo?: number;
                /** @description The last block by this time, in the place of `blockNumberFrom`: ISO 8601 (UTC without a zone) or seconds since 1970. Before the chain's first block nobody had anything */
                timestampFrom?: string;
                /** @description The last block by this time, in the place of `blockNumberTo`: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: up to a block that no reorg takes back any more; `latest`: up to the newest (the default) */
                finality?: "latest" | "finalized";
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HolderChangeList"];
                };
            };
        };
    };
    erc20SupplyHistory: {
        parameters: {
            query?: {
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupplyChangeList"];
                };
            };
        };
    };
    erc20PriceHistory: {
        parameters: {
            query?: {
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePointList"];
                };
            };
        };
    };
    erc721: {
        parameters: {
            query?: {
                /** @description `<field>` or `<field>,<asc|desc>`. `desc` is (field descending, chain id, address), `asc` its exact reverse; rows without the field come last in both. `transfers` are those of the last 24 hours. */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description These contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description Tokens whose symbol, or a word of whose name (its first four), begins with this text, in any letter case and width, with or without accents, and whatever parts its words (`univ2`, `uni v2` and `UNI-V2` are one symbol); or whose address does (`0x` and 6 digits at least). Trusted ones first, then by symbol before name, the closest and the oldest first; `sort` is not taken beside it */
                search?: string;
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftContractList"];
                };
            };
        };
    };
    erc721Transfers: {
        parameters: {
            query?: {
                /** @description Transfers of these token contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description Transfers sent by these addresses (the zero address: mints); up to 50 values, joined by OR. Comma-joined or repeated */
                from?: string[];
                /** @description Transfers received by these addresses (the zero address: burns); up to 50 values, joined by OR. Comma-joined or repeated */
                to?: string[];
                /** @description Transfers sent or received by these addresses; up to 50 values, joined by OR. Comma-joined or repeated */
                address?: string[];
                /** @description Transfers of these ids; needs exactly one `tokenAddress` beside it; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenId?: string[];
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description Only of this transaction. The chain's node says in which block it is, unless `blockNumberFrom` and `blockNumberTo` name one block */
                txHash?: string;
                /** @description `true` = only of contracts that stand on a configured token list */
                trusted?: boolean;
                /** @description Fields that rows have on request only. Comma-joined or repeated */
                include?: "transactionIndex"[];
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc721TransferList"];
                };
            };
        };
    };
    erc721Holders: {
        parameters: {
            query?: {
                /** @description How many rows a page has */
                limit?: number;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description Only balances from this on: raw subunits, numbers of ids, or amounts of an id */
                minBalance?: string;
                /** @description Only these holders; up to 50 values, joined by OR. Comma-joined or repeated */
                address?: string[];
                /** @description `true` = without holders that are known to be contracts. Rows then say `isContract`: null where nobody has asked yet */
                excludeContracts?: boolean;
                /** @description Fields that rows have on request only. Comma-joined or repeated */
                include?: ("rank" | "isContract")[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HolderList"];
                };
            };
        };
    };
    erc721Tokens: {
        parameters: {
            query?: {
                /** @description How many rows a page has */
                limit?: number;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc721TokenList"];
                };
            };
        };
    };
    addressApprovals: {
        parameters: {
            query?: {
                /** @description How many rows a page has */
                limit?: number;
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The address, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
        };
    };
    addressTokens: {
        parameters: {
            query?: {
                /** @description What is listed; `native` is what gas is paid in, which the node tells. Default: tokens of all standards, without `native`. Comma-joined or repeated */
                standard?: ("native" | "erc20" | "erc721" | "erc1155")[];
                /** @description `true` = only contracts that stand on a configured token list, and the native currency */
                trusted?: boolean;
                /** @description Only what is worth at least so many US dollars; what has no value is left out then. A native balance that the node does not tell stays where its price is known */
                minValueUsd?: string;
                /** @description Only of these contracts; without the native currency, which has none; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description `<field>` or `<field>,<asc|desc>`. `valueUsd`: rows without a value come last in both directions; ties go by chain id, holder, standard, contract and id. `tokenAddress`: by chain id, holder, standard, contract and id. */
                sort?: string;
                /** @description `ids` = a row for each id of an ERC-721, instead of one for each collection */
                detail?: "ids";
                /** @description How many rows a page has */
                limit?: number;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
                /** @description The address, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletTokenList"];
                };
            };
        };
    };
    tokensOf: {
        parameters: {
            query: {
                /** @description Who holds; up to 50 values, joined by OR. Comma-joined or repeated */
                address: string[];
                /** @description What is listed; `native` is what gas is paid in, which the node tells. Default: tokens of all standards, without `native`. Comma-joined or repeated */
                standard?: ("native" | "erc20" | "erc721" | "erc1155")[];
                /** @description `true` = only contracts that stand on a configured token list, and the native currency */
                trusted?: boolean;
                /** @description Only what is worth at least so many US dollars; what has no value is left out then. A native balance that the node does not tell stays where its price is known */
                minValueUsd?: string;
                /** @description Only of these contracts; without the native currency, which has none; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description `<field>` or `<field>,<asc|desc>`. `valueUsd`: rows without a value come last in both directions; ties go by chain id, holder, standard, contract and id. `tokenAddress`: by chain id, holder, standard, contract and id. */
                sort?: string;
                /** @description `ids` = a row for each id of an ERC-721, instead of one for each collection */
                detail?: "ids";
                /** @description How many rows a page has */
                limit?: number;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletTokenList"];
                };
            };
        };
    };
    addressPortfolio: {
        parameters: {
            query?: {
                /** @description What is listed; `native` is what gas is paid in, which the node tells. Default: tokens of all standards, without `native`. Comma-joined or repeated */
                standard?: ("native" | "erc20" | "erc721" | "erc1155")[];
                /** @description `true` = only contracts that stand on a configured token list, and the native currency */
                trusted?: boolean;
                /** @description Only what is worth at least so many US dollars; what has no value is left out then. A native balance that the node does not tell stays where its price is known */
                minValueUsd?: string;
                /** @description The list as it was after this block, up to the indexed head; absent = as it is now */
                blockNumber?: number;
                /** @description The list as it was at this time, after the last block that is not younger: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestamp?: string;
                /** @description The list as it was after the block with this hash; refused when the block is not of this chain any more */
                blockHash?: string;
                /** @description `finalized`: the list as of the newest block that no reorg takes back any more; `latest`: as it is now (the default) */
                finality?: "latest" | "finalized";
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
                /** @description The address, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Portfolio"];
                };
            };
        };
    };
    addressPortfolioHistory: {
        parameters: {
            query?: {
                /** @description `1h`, `1d` = at the beginning of each hour or day of UTC; `block` = after each block that touched a balance of the address, of one chain */
                interval?: "1h" | "1d" | "block";
                /** @description Of what: `erc20`, `native` (what gas is paid in, which an archive node tells), or both. With `interval=block` `erc20` must be among them. Comma-joined or repeated */
                standard?: ("native" | "erc20")[];
                /** @description `true` = only contracts that stand on a configured token list, and the native currency */
                trusted?: boolean;
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
                /** @description The address, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortfolioPointList"];
                };
            };
        };
    };
    addressTokensBalances: {
        parameters: {
            query?: {
                /** @description Which balance, of a contract that is of several standards: there it has to be said */
                standard?: "erc20" | "erc721" | "erc1155";
                /** @description Of an ERC-1155: the balance of this id, instead of the sum over all that are held. Of another standard it is refused */
                tokenId?: string;
                /** @description `desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description First block, inclusive; under `all` each chain's own numbers */
                blockNumberFrom?: number;
                /** @description Last block, inclusive; under `all` each chain's own numbers */
                blockNumberTo?: number;
                /** @description The earliest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampFrom?: string;
                /** @description The latest, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970 */
                timestampTo?: string;
                /** @description `finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default) */
                finality?: "latest" | "finalized";
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The address, in any letter case */
                address: string;
                /** @description The token contract, in any letter case */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceChangeList"];
                };
            };
        };
    };
    supply: {
        parameters: {
            query?: {
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NativeSupply"] | components["schemas"]["NativeSupplies"];
                };
            };
        };
    };
    topErc20: {
        parameters: {
            query?: {
                /** @description `<field>` or `<field>,<asc|desc>`. `desc` is (field descending, chain id, address), `asc` its exact reverse; rows without the field come last in both. `transfers` are those of the last 24 hours. */
                sort?: string;
                /** @description How many rows a page has */
                limit?: number;
                /** @description Only chains of this ecosystem, or the chain with this id; an unknown one selects nothing */
                ecosystem?: string;
                /** @description Only these chains; unknown ids are ignored. Comma-joined or repeated */
                includedChainIds?: string[];
                /** @description None of these chains; unknown ids are ignored. Comma-joined or repeated */
                excludedChainIds?: string[];
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number, or `all` for every chain of the network */
                chainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc20TokenList"];
                };
            };
        };
    };
    statusAudit: {
        parameters: {
            query?: {
                /** @description Tokens of these chains; without it of every configured one. Comma-joined or repeated */
                chainId?: string[];
                /** @description Tokens in this state */
                state?: "exact" | "drift" | "rebasing" | "unverified";
                /** @description These contracts; up to 50 values, joined by OR. Comma-joined or repeated */
                tokenAddress?: string[];
                /** @description How many rows a page has */
                limit?: number;
                /** @description `true` adds `count` and `countType`: the total over all pages */
                count?: boolean;
                /** @description `link.nextToken` of a page of this very query: the page behind it. Not together with `prev` */
                next?: string;
                /** @description `link.prevToken` of a page of this very query: the page before it */
                prev?: string;
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenAuditList"];
                };
            };
        };
    };
    erc20One: {
        parameters: {
            query?: {
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erc20Contract"];
                };
            };
        };
    };
    erc721One: {
        parameters: {
            query?: {
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftCollection"];
                };
            };
        };
    };
    erc1155One: {
        parameters: {
            query?: {
                /** @description `true`: a parameter that the endpoint does not know is refused, instead of being named in `x-ignored-parameters` */
                strict?: boolean;
            };
            header?: never;
            path: {
                /** @description The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like */
                networkId: string;
                /** @description The chain's id, a decimal number */
                chainId: string;
                /** @description The token contract, in any letter case */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftCollection"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description degraded = 200 too: every chain is near its head, and one has a `problem`
                         * @enum {string}
                         */
                        status: "ready" | "degraded" | "not ready";
                        /** @enum {string} */
                        store: "ok" | "unreachable";
                        /**
                         * @description ROLE: whether it only follows chains, or only answers; absent = both
                         * @enum {string}
                         */
                        role?: "writer" | "reader";
                        /** @description The database servers that reads may go to, in order; absent = the one that is written */
                        servers?: components["schemas"]["ReadServer"][];
                        /**
                         * @description No server that takes writes is known: columns of transactions are read and not kept, and nobody is asked whether accounts of lists are contracts
                         * @enum {boolean}
                         */
                        keepsColumns?: false;
                        /** @description Why nothing can be answered for as it should be; absent = it can */
                        problem?: string;
                        chains: components["schemas"]["Readiness"][];
                    };
                };
            };
        };
    };
}
