-- Of a token that keeps what is sent to the zero address: what the contract itself sends there is burnt all the same.
alter table token add column burns_own boolean not null default false;
