-- ERC-721 and ERC-1155, rolling counts, and what is learned of tokens beside their events.

alter table state
  drop column skipped_erc721,
  drop column skipped_erc1155,
  add column erc721_tokens     int8 not null default 0,
  add column erc721_transfers  int8 not null default 0,
  add column erc1155_tokens    int8 not null default 0,
  add column erc1155_transfers int8 not null default 0,
  -- Rows of blocks from here on are younger than head_time less 24, 48, 72 hours; all others are not.
  add column edge_24h int4 not null default 0,
  add column edge_48h int4 not null default 0,
  add column edge_72h int4 not null default 0;

-- standard: 20, 721 or 1155.
alter table token
  add column first_tx     bytea,                          -- transaction of its first event
  add column origin_known boolean not null default false; -- created_time and created_tx have been looked for
create index token_without_origin on token (first_pos) where not origin_known;

-- ids: live ids of an ERC-721, (address, id) rows above zero of an ERC-1155.
alter table token_stat
  add column unit_seq int4 not null default 0,            -- last unit_no given out; never given twice
  add column last_24h int4 not null default 0,
  add column last_48h int4 not null default 0,
  add column last_72h int4 not null default 0;
create index token_stat_by_transfers on token_stat (standard, last_24h desc, address);

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
  primary key (pos, sub),
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
  primary key (pos, sub),
  unique (token_id, pos, sub)
);
create index erc1155_transfer_by_nft on erc1155_transfer (token_id, nft_id, pos, sub);
create index erc1155_mint_by_token on erc1155_transfer (token_id, pos, sub) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc1155_mint on erc1155_transfer (pos, sub) where from_addr = '\x0000000000000000000000000000000000000000';
create index erc1155_burn_by_token on erc1155_transfer (token_id, pos, sub) where to_addr = '\x0000000000000000000000000000000000000000';
create index erc1155_burn on erc1155_transfer (pos, sub) where to_addr = '\x0000000000000000000000000000000000000000';

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
