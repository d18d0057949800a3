-- A table on a worker of a distributed server can have no trigger: `audit_count` is kept by the two that write and remove
-- records, who lock the token first. So no record is made of a token that is being removed, and no cascade is needed.
drop trigger if exists token_audit_inserted on token_audit;
drop trigger if exists token_audit_updated on token_audit;
drop trigger if exists token_audit_deleted on token_audit;
drop function if exists count_audits();
alter table token_audit drop constraint token_audit_token_id_fkey;
