-- The ledger of one chain, as the migrations up to 041 leave it: a new one is made of this in their place (docs/decisions.md, 260).
-- Run with the chain's schema as search path. What is asked of a column stands here; why it came to be in its migration. Both ways are
-- held alike by `test/postgres/database/baseline.test.ts`.

-- One row. epoch: +1 at every append and rollback (the writer's fence); revision: +1 at every write readers can see.
create table state (
  only_row        boolean primary key default true check (only_row),
  epoch           int8 not null default 0,
  revision        int8 not null default 0,
  ledger_version  int4 not null,
  settings_digest text not null,    -- sha256 of settings
  settings        text not null,    -- what the ledger was made with, canonical JSON: tells what a refused start differs in
  first_block     int4 not null,
  next_block      int4 not null,
  finalized_block int4 not null default -1,
  node_head       int4 not null default -1,
  head_hash       bytea,            -- of block next_block - 1; null before the first append
  head_parent     bytea,
  head_time       int8,             -- seconds
  token_seq       int4 not null default 0,   -- last token_id given out; never given twice, rolled-back tokens included
  erc20_tokens    int8 not null default 0,
  erc20_transfers int8 not null default 0,
  skipped_odd     int8 not null default 0,
  erc721_tokens     int8 not null default 0,
  erc721_transfers  int8 not null default 0,
  erc1155_tokens    int8 not null default 0,
  erc1155_transfers int8 not null default 0,
  -- Rows of blocks from here on are younger than head_time less 24, 48, 72 hours; all others are not.
  edge_24h        int4 not null default 0,
  edge_48h        int4 not null default 0,
  edge_72h        int4 not null default 0,
  swaps           int8 not null default 0,
  skipped_swaps   int8 not null default 0,  -- at contracts that are no pools, and in pools that nobody knows
  pool_seq        int4 not null default 0,  -- last pool_no given out; never given twice, rolled-back pools included
  asset_seq       int4 not null default 0,  -- likewise
  -- Rows of blocks below were stored before columns that they have today: full_from those of 012, odd_from odd_log, wraps_from wrap.time.
  full_from       int4 not null default 0,
  odd_from        int4 not null default 0,
  wraps_from      int4 not null default 0,
  -- Which making of the ledger this is: a position in another one is not a position in this one.
  birth           text not null default md5(random()::text || clock_timestamp()::text),
  folds           int4 not null default 0,  -- how the texts that tokens are searched by were folded, as numbered in `model/search/searchText.ts`
  learned         int8 not null default 0,  -- so many of the moves of `revision` changed no figure
  appended        int8 not null default 0   -- so many of the moves of `revision` were blocks that were appended
);

-- Headers of the reorg window only.
create table block (
  number      int4 primary key,
  hash        bytea not null,
  parent_hash bytea not null,
  time        int8 not null
);

-- One known (block, time) per 256 blocks, kept for ever: turns a time into a bound of pos.
create table clock (
  block int4 primary key,
  time  int8 not null,
  hash  bytea                       -- as the ledger's chain has it; a row is final where block <= state.finalized_block
);
create index clock_time on clock (time, block);

-- A contract that emits two standards is two rows. standard: 20, 721 or 1155.
create table token (
  token_id     int4 primary key,
  standard     int2 not null,
  address      bytea not null,
  name         text collate "C",
  symbol       text collate "C",
  decimals     int2,
  created_time int8,
  created_tx   bytea,
  first_pos    int8 not null,       -- block << 24 | log index of its first event
  sort_time    int8 not null,       -- created_time, else the time of its first event; seconds
  described    boolean not null default false,
  info         jsonb,
  first_tx     bytea,                          -- transaction of its first event
  origin_known boolean not null default false, -- created_time and created_tx have been looked for
  trusted      boolean not null default false, -- an ERC-20 whose note says so, from birth on
  keeps_burnt  boolean not null default false, -- ERC-20: what is sent to the zero address is no burn. Found by the audit
  audited      boolean not null default false, -- has a row in token_audit
  symbol_fold  text collate "C",               -- as `model/search/searchText.ts` folds
  name_fold    text collate "C",
  -- The name from its second, third and fourth word on.
  name_fold2   text collate "C" generated always as (substring(name_fold from '^[^ ]+ (.+)$')) stored,
  name_fold3   text collate "C" generated always as (substring(name_fold from '^[^ ]+ [^ ]+ (.+)$')) stored,
  name_fold4   text collate "C" generated always as (substring(name_fold from '^[^ ]+ [^ ]+ [^ ]+ (.+)$')) stored,
  unique (address, standard)
);
create index token_by_time on token (standard, sort_time desc, address);
create index token_by_name on token (standard, name desc, address);
create index token_undescribed on token (first_pos) where not described;
create index token_without_origin on token (first_pos) where not origin_known;
-- No `standard` in the keys of trusted tokens: so nothing but these indexes serves their orders.
create index token_trusted_by_time on token (sort_time desc, address) where trusted;
create index token_trusted_by_name on token (name desc, address) where trusted;
create index token_unaudited on token (address, standard) where not audited;
create index token_given_up on token (first_pos) where origin_known and created_time is null and created_tx is null;
-- Who copies a name comes later: of one text the oldest first.
create index token_by_symbol on token (standard, trusted, symbol_fold, first_pos) where symbol_fold is not null;
create index token_by_word on token (standard, trusted, name_fold, first_pos) where name_fold is not null;
create index token_by_word2 on token (standard, trusted, name_fold2, first_pos) where name_fold2 is not null;
create index token_by_word3 on token (standard, trusted, name_fold3, first_pos) where name_fold3 is not null;
create index token_by_word4 on token (standard, trusted, name_fold4, first_pos) where name_fold4 is not null;
create index token_by_first on token (first_pos);

-- Counts and prices. The orders by a count go by its step: the count itself up to 127, beyond that its leading seven bits, so
-- that most updates change no index (011). `reads/tokens/steps.ts` computes the same.
create table token_stat (
  token_id   int4 primary key,
  standard   int2 not null,
  address    bytea not null,
  transfers  int8 not null default 0,
  holders    int8 not null default 0,
  ids        int8 not null default 0,   -- live ids of an ERC-721, (address, id) rows above zero of an ERC-1155
  holder_seq int4 not null,             -- last holder_no given out; never given twice
  unit_seq   int4 not null default 0,   -- last unit_no given out; never given twice
  last_24h   int4 not null default 0,
  last_48h   int4 not null default 0,
  last_72h   int4 not null default 0,
  trusted    boolean not null default false,
  -- US dollars with 18 decimals, whole numbers; null = no trustworthy price. They stand here and not in `token` because the
  -- tokens without a market_cap are listed by `holders`.
  price      numeric,
  market_cap numeric,
  -- Off by one at a power of two, the logarithm gives the same step.
  holders_step int4 not null generated always as (
    case when holders < 128 then holders
         else (floor(ln(holders::float8) / ln(2::float8))::int8 - 6) * 64
              + (holders >> (floor(ln(holders::float8) / ln(2::float8))::int4 - 6)) end) stored,
  last_24h_step int4 not null generated always as (
    case when last_24h < 128 then last_24h
         else (floor(ln(last_24h::float8) / ln(2::float8))::int4 - 6) * 64
              + (last_24h >> (floor(ln(last_24h::float8) / ln(2::float8))::int4 - 6)) end) stored
) with (fillfactor = 50);             -- room for the versions of a row that readers may still see
create index token_stat_trusted_by_cap on token_stat (market_cap desc, address) where trusted and market_cap is not null;
create index token_stat_by_cap on token_stat (standard, market_cap desc, address) where market_cap is not null;
create index token_stat_priced on token_stat (address) where price is not null;
create index token_stat_by_holders on token_stat (standard, holders_step desc, address);
create index token_stat_by_transfers on token_stat (standard, last_24h_step desc, address);
create index token_stat_trusted_by_holders on token_stat (holders_step desc, address) where trusted;
create index token_stat_trusted_by_transfers on token_stat (last_24h_step desc, address) where trusted;
-- An expression, so that nothing but these indexes serves their order: another walks past all that have a market_cap.
create index token_stat_trusted_without_cap on token_stat ((holders_step + 0) desc, address) where trusted and market_cap is null;
create index token_stat_without_cap on token_stat ((holders_step + 0) desc, address) where standard = 20 and market_cap is null;

-- What people say of contracts, whether or not the ledger has met them.
create table token_note (
  address bytea primary key,
  trusted boolean not null,         -- stands on a configured token list
  texts   jsonb not null,           -- website, description, …: never empty texts
  digest  text not null             -- of both: tells a note that is the same from one that changed
);
create index token_note_trusted on token_note (address) where trusted;

-- pos = block_number << 24 | log_index. tx_index: the transaction's place in its block; null also where the node does not say.
-- Rows come in the order of these keys: no room is left for others in between.
create table erc20_transfer (
  pos       int8 not null,
  time      int8 not null,          -- seconds
  token_id  int4 not null,
  tx_hash   bytea not null,
  from_addr bytea not null,
  to_addr   bytea not null,
  amount    numeric not null,
  tx_index  int4,
  primary key (pos) with (fillfactor = 100),
  unique (token_id, pos)
);
create index erc20_mint_by_token on erc20_transfer (token_id, pos) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc20_mint on erc20_transfer (pos) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc20_burn_by_token on erc20_transfer (token_id, pos) where to_addr = '\x0000000000000000000000000000000000000000';
create index erc20_burn on erc20_transfer (pos) where to_addr = '\x0000000000000000000000000000000000000000';

-- sub: place in an ERC-2309 log, else 0.
create table erc721_transfer (
  pos       int8 not null,
  sub       int4 not null,
  time      int8 not null,
  token_id  int4 not null,
  tx_hash   bytea not null,
  from_addr bytea not null,
  to_addr   bytea not null,
  nft_id    numeric not null,
  tx_index  int4,
  primary key (pos, sub) with (fillfactor = 100),
  unique (token_id, pos, sub)
);
-- Also the owner of an id at any block: the receiver of its last row.
create index erc721_transfer_by_nft on erc721_transfer (token_id, nft_id, pos, sub);
create index erc721_mint_by_token on erc721_transfer (token_id, pos, sub) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc721_mint on erc721_transfer (pos, sub) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc721_burn_by_token on erc721_transfer (token_id, pos, sub) where to_addr = '\x0000000000000000000000000000000000000000';
create index erc721_burn on erc721_transfer (pos, sub) where to_addr = '\x0000000000000000000000000000000000000000';
-- From the zero address to itself: in both of the above, and no account's pair leads there. Nearly empty.
create index erc721_void on erc721_transfer (pos, sub) where from_addr = '\x0000000000000000000000000000000000000000'
  and to_addr = '\x0000000000000000000000000000000000000000';

-- sub: place in a batch, else 0.
create table erc1155_transfer (
  pos       int8 not null,
  sub       int4 not null,
  time      int8 not null,
  token_id  int4 not null,
  tx_hash   bytea not null,
  from_addr bytea not null,
  to_addr   bytea not null,
  nft_id    numeric not null,
  amount    numeric not null,
  operator  bytea,                  -- who made the transfer
  tx_index  int4,
  primary key (pos, sub) with (fillfactor = 100),
  unique (token_id, pos, sub)
);
create index erc1155_transfer_by_nft on erc1155_transfer (token_id, nft_id, pos, sub);
create index erc1155_mint_by_token on erc1155_transfer (token_id, pos, sub) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc1155_mint on erc1155_transfer (pos, sub) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc1155_burn_by_token on erc1155_transfer (token_id, pos, sub) where to_addr = '\x0000000000000000000000000000000000000000';
create index erc1155_burn on erc1155_transfer (pos, sub) where to_addr = '\x0000000000000000000000000000000000000000';

-- Every Deposit (amount > 0) and Withdrawal (amount < 0) of wrapped native; zero ones too.
create table wrap (
  pos        int8 primary key with (fillfactor = 100),
  token_id   int4 not null,
  holder     bytea not null,
  amount     numeric not null,
  tx_index   int4,
  is_deposit boolean,               -- an amount of zero does not say
  tx_hash    bytea,
  time       int8
);
create index wrap_by_token on wrap (token_id, pos);

-- Newest version of every pair ever touched; zero rows stay. holder '' = issuer (holder_no 0), '\x00' = sink (holder_no 1).
create table balance (
  token_id     int4 not null,
  holder_no    int4 not null,
  block_number int4 not null,       -- last block that touched the pair
  holder       bytea not null,
  balance      numeric not null,    -- signed
  primary key (holder, token_id)
) with (fillfactor = 85);
create index balance_rank on balance (token_id, balance desc, holder);

-- Superseded versions, one per touched block, also where the block's net change is zero.
create table balance_history (
  token_id     int4 not null,
  holder_no    int4 not null,
  block_number int4 not null,
  balance      numeric not null,
  primary key (token_id, holder_no, block_number)
);

-- Every ERC-721 id ever moved. owner null = burnt, or never owned.
create table nft (
  token_id  int4 not null,
  nft_id    numeric not null,
  owner     bytea,
  pos       int8 not null,          -- of the log that moved it last
  mint_pos  int8,                   -- of its latest mint, also after it was burnt; null = never minted, or not known of a burnt one
  mint_time int8,                   -- seconds
  uri       text,
  uri_known boolean not null default false, -- tokenURI has been asked since that mint
  primary key (token_id, nft_id)
) with (fillfactor = 85);
create index nft_live on nft (token_id, nft_id) where owner is not null;
create index nft_by_owner on nft (token_id, owner, nft_id) where owner is not null;
create index nft_without_uri on nft (mint_pos desc) where owner is not null and not uri_known;

-- ERC-1155: newest version of every (address, id) ever touched; zero rows stay. The address's own row in `balance` is
-- the sum over the ids that it holds (those below zero left out), and has the blocks that touched any of them.
create table unit_balance (
  token_id     int4 not null,
  unit_no      int4 not null,
  block_number int4 not null,
  nft_id       numeric not null,
  holder       bytea not null,
  balance      numeric not null,    -- signed
  primary key (holder, token_id, nft_id)
) with (fillfactor = 85);
create index unit_balance_rank on unit_balance (token_id, balance desc, holder, nft_id);

-- Superseded versions, one per touched block.
create table unit_balance_history (
  token_id     int4 not null,
  unit_no      int4 not null,
  block_number int4 not null,
  balance      numeric not null,
  primary key (token_id, unit_no, block_number)
);

-- What pools hold: tokens, whether `token` has them or not; the zero address is the native currency.
create table asset (
  asset_no int4 primary key,
  address  bytea not null unique,
  decimals int2 not null,           -- 0 where it does not tell
  since    int4 not null            -- block of the first pool that has it
);
create index asset_since on asset (since);

create table pool (
  pool_no int4 primary key,
  key     bytea not null unique,    -- its contract's address; of a Uniswap V4 pool its manager's, then its id
  asset0  int4 not null,            -- asset_no
  asset1  int4 not null,
  factory bytea,
  since   int4 not null             -- block of its Initialize or of its first swap; its swaps are from there on
);
create index pool_since on pool (since);
create index pool_by_assets on pool (asset0, asset1);

-- Paid: qty_in of in_no. Got: qty_out of out_no.
create table swap (
  pos      int8 primary key with (fillfactor = 100),  -- block_number << 24 | log_index
  time     int8 not null,           -- seconds
  in_no    int4 not null,           -- asset_no
  out_no   int4 not null,
  pool_no  int4 not null,
  tx_hash  bytea not null,
  qty_in   numeric not null,
  qty_out  numeric not null,
  tx_index int4
);
create index swap_by_in on swap (in_no, pos);
create index swap_by_out on swap (out_no, pos);
create index swap_by_pair on swap (in_no, out_no, pos);
create index swap_by_pool on swap (pool_no, time, pos);

-- Prices of each hour. Made of blocks that never change any more, so no rollback reaches them. A token that is rolled back leaves
-- points that nobody reads: no token_id is used again.
create table price_point (
  token_id   int4 not null,
  hour       int4 not null,         -- hours since 1970: the price at its beginning; 0 = at all times
  until_hour int4 not null,         -- the last hour that it speaks for, if there is no newer one
  price      numeric not null,      -- US dollars with 18 decimals a whole token, a whole number
  primary key (token_id, hour)
);
create index price_point_peg on price_point (token_id) where hour = 0;
-- What tokens cost at the beginnings of days, UTC: a year of them is one stretch of this index.
create index price_point_day on price_point (token_id, hour) include (price) where hour % 24 = 0;

create table price_progress (
  only_row  boolean primary key default true check (only_row),
  next_hour int4 not null           -- the first hour without points
);

-- Hours of the past whose prices are not found yet: from_hour up to, and not with, to_hour. They are found from the newest on.
create table price_gap (
  from_hour int4 primary key,
  to_hour   int4 not null check (to_hour > from_hour)
);

-- The first block of each rollback: a walk as of a block that was not final goes on while none of these took it back.
create table rollback (
  rollback_no int4 primary key,     -- 1, 2, …
  from_block  int4 not null
);

-- What consumers of events must hear of later: one for each rollback; a heal is one too.
create table correction (
  rollback_no int4 primary key,
  is_heal     boolean not null,
  at          int8 not null,                  -- seconds since 1970
  forgotten   boolean not null default false  -- its rows are not kept any more
);

-- The rows of it, as consumers know them.
create table corrected_row (
  rollback_no int4 not null,
  pos         int8 not null,                  -- block << 24 | log index
  place       int4 not null,                  -- 0 = the contract was seen first; a row is one more than its place in the log
  added       boolean not null,               -- a heal brought it; else it went
  kind        int2 not null,                  -- 0 = contract, 1 = transfer, 2 = swap
  standard    int2 not null,                  -- 20, 721, 1155
  block_hash  bytea,
  tx_hash     bytea not null,
  token       bytea not null,                 -- of a swap what was paid
  token_out   bytea,
  from_addr   bytea,
  to_addr     bytea,
  nft_id      numeric,
  amount      numeric,
  amount_out  numeric,
  primary key (rollback_no, pos, place, added)
);

-- What comparing tokens with the node has shown. Who makes or removes a record locks the token first.
create table token_audit (
  token_id     int4 primary key,
  standard     int2 not null,
  address      bytea not null,
  state        int2 not null,       -- place in the list of states, from 0: exact, drift, rebasing, unverified
  block_number int4 not null,
  time         int8 not null,       -- of that block, seconds
  compared     int4 not null,
  difference   jsonb,
  reason       text,
  watched      jsonb not null,      -- figures to be asked again
  differed     int4[],              -- first and last block at which something differed
  logs         int4[],              -- first and last block of which the token's own logs were asked again, and the ledger has them
  healed       int4[]               -- first and last block of rows that a node had left out, and that came in later
);
create index token_audit_by_state on token_audit (state, address, standard);
create index token_audit_by_block on token_audit (block_number, address, standard);
create index token_audit_in_doubt on token_audit (block_number, address, standard) where state = 1;

-- How many rows of each state there are: kept by those who write and remove them.
create table audit_count (
  state  int2 primary key,
  tokens int8 not null default 0
);
insert into audit_count (state) values (0), (1), (2), (3);

-- Every Approval and ApprovalForAll, where they are stored (APPROVALS): what an owner allows is the last row of a key.
create table approval (
  pos       int8 primary key with (fillfactor = 100),  -- block_number << 24 | log_index
  time      int8 not null,          -- seconds
  tx_index  int4,                   -- the transaction's place in its block; null = the node did not say
  kind      int2 not null,          -- place in the list of kinds, from 0: amount, tokenId, operator
  contract  bytea not null,
  owner     bytea not null,
  spender   bytea not null,         -- of an id the zero address: it has one at most
  nft_id    numeric not null,       -- 0 unless of an id
  approved  bytea not null,         -- of an id its spender, else empty
  amount    numeric not null,       -- of an operator 1 = allowed, 0 = not any more
  tx_hash   bytea not null
) with (fillfactor = 100);
create index approval_by_owner on approval (owner, contract, kind, nft_id, spender, pos desc);

-- Logs of followed contracts and signatures that rows do not give back byte for byte (swaps apart: no row does): of shapes that
-- say nothing sure, batches of fewer than two ids or written otherwise than usual, ERC-2309 ranges of one id.
create table odd_log (
  pos       int8 primary key with (fillfactor = 100),  -- block_number << 24 | log_index
  time      int8 not null,          -- seconds
  tx_index  int4,                   -- the transaction's place in its block; null = the node did not say
  has_rows  boolean not null,       -- whether there are rows of it too
  contract  bytea not null,
  tx_hash   bytea not null,
  topic0    bytea,                  -- 32 bytes each, as many as the log has
  topic1    bytea,
  topic2    bytea,
  topic3    bytea,
  data      bytea not null
) with (fillfactor = 100);
create index odd_log_by_contract on odd_log (contract, pos);

-- Whether a holder is a contract, as the chain's node said after a block. Learned beside the ledger, and again in a new one.
create table account_code (
  address      bytea primary key,
  is_contract  boolean not null,
  block_number int4 not null,
  asked_at     int8 not null        -- seconds; code may have come to it since
);
create index account_code_age on account_code (asked_at);

-- Where every so manieth transfer of a busy account lies: pages far down its list begin there. Counted beside the ledger, in final blocks alone.
-- How far is counted: all accounts below, in all blocks below that one.
create table marking (
  only_row    boolean primary key default true check (only_row),
  next_block  int4 not null,
  rollback_no int4 not null,        -- of the ledger that was counted: a later one of a counted block makes all of it void
  generation  int8 not null,        -- another one when all is counted anew
  stride      int4 not null         -- rows from mark to mark
);

create table marked_account (
  account  bytea not null,
  standard int2 not null,           -- 20, 721, 1155
  rows     int8 not null,           -- transfers from or to it, each once, before marking.next_block
  primary key (account, standard)
) with (fillfactor = 70);

create table account_mark (
  account  bytea not null,
  standard int2 not null,
  mark     int4 not null,           -- 0 = the oldest transfer, 1 = the one a stride of rows behind it, …
  pos      int8 not null,           -- block << 24 | log index
  sub      int4 not null,           -- 0 where a log has one row
  primary key (account, standard, mark)
);
