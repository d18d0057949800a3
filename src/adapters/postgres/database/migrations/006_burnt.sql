-- ERC-20: what is sent to the zero address is no burn, the zero address is a holder like any other. Found by the audit.
alter table token add column keeps_burnt boolean not null default false;
