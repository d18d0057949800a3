-- The ledger of one chain. Run with the chain's schema as search path; see docs/decisions.md for the shape.

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
  skipped_erc721  int8 not null default 0,
  skipped_erc1155 int8 not null default 0,
  skipped_odd     int8 not null default 0
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
  time  int8 not null
);
create index clock_time on clock (time, block);

-- A contract that emits two standards is two rows. standard: 20 = ERC-20.
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
  unique (address, standard)
);
create index token_by_time on token (standard, sort_time desc, address);
create index token_by_name on token (standard, name desc, address);
create index token_undescribed on token (first_pos) where not described;

create table token_stat (
  token_id   int4 primary key,
  standard   int2 not null,
  address    bytea not null,
  transfers  int8 not null default 0,
  holders    int8 not null default 0,
  ids        int8 not null default 0,
  holder_seq int4 not null          -- last holder_no given out; never given twice
) with (fillfactor = 85);
create index token_stat_by_holders on token_stat (standard, holders desc, address);

-- pos = block_number << 24 | log_index
create table erc20_transfer (
  pos       int8 not null,
  time      int8 not null,          -- seconds
  token_id  int4 not null,
  tx_hash   bytea not null,
  from_addr bytea not null,
  to_addr   bytea not null,
  amount    numeric not null,
  primary key (pos),
  unique (token_id, pos)
);
create index erc20_mint_by_token on erc20_transfer (token_id, pos) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc20_mint on erc20_transfer (pos) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc20_burn_by_token on erc20_transfer (token_id, pos) where to_addr = '\x0000000000000000000000000000000000000000';
create index erc20_burn on erc20_transfer (pos) where to_addr = '\x0000000000000000000000000000000000000000';

-- Every Deposit (amount > 0) and Withdrawal (amount < 0) of wrapped native; zero ones too.
create table wrap (
  pos      int8 primary key,
  token_id int4 not null,
  holder   bytea not null,
  amount   numeric not null
);

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
