/**
 * The migration files that were released, by the SHA-256 of their text. Rule: a line of this table is never changed and
 * never removed. Databases have these digests in their journals and refuse another text. Whoever changes the schema adds a
 * file, and its line here at the end; until the next release only that one may still change.
 */
export const releasedMigrations: Readonly<Record<string, string>> = {
  "000_registry.sql": "4dbee5b8c55e6474d3541437c1c63ea403ce83ea380ddbb93055393e5e5e061f",
  "001_ledger.sql": "ffb6a88bbf0503427fa0d7f16a5bd70e3e25a28b4cc100681510b5fec58a3491",
  "002_nft.sql": "b90f70fb25df92814a737d053e8263ac5b9eadd781c40722e9372255e094384f",
  "003_swaps.sql": "2229339dd8961538e60c3acded06eb668fca1bf9f74515cc43b6df7270d59c1a",
  "004_copies.sql": "faca9edae0a524ec7dfaab472cfd1f451fc8891202137f2fdf774eb82cef108d",
  "004_trust.sql": "2e8f7a17b8fadc55ac9efc7ebbd5910c757c291ab6ecc6c86f12cfea2f2286f0",
  "005_prices.sql": "06c423b42353f3763de3a484b5557a747172740dc6e3471ac6faf4a4e3a14b9b",
  "006_burnt.sql": "32fafad9d497c25aa2860ce48d7cef90d62c143f0df6e226283f2a5080eb8935",
  "007_rollbacks.sql": "f09dcbff694120e69928857a93c3f62e194a7cb8e74b0f8b0cfccfaaf5277cc0",
  "008_audit.sql": "d61dc146f0b35cdba0e204936c0fda294556c801c27653d32d57dd3eae1c2b13",
  "009_given_up.sql": "833a3a7c3782bc209518ab056532b5dd3e835ba536f1e6526c89c62935ee73a4",
  "010_heal.sql": "efad7382397759c9a2133329fc277e509a20e3c015d29bc2171385965a6ddfb5",
  "011_count_steps.sql": "96c0b50b8d62063074d13a4d000c52425c29b9dfa3e53db7df6f3dce9b3c8095",
  "012_log_places.sql": "e4ab25b4f712ee1dcc5d542424433dd5d4641e2d08f56923087b1adb01db6462",
  "013_approvals.sql": "54b1e90f15d5c1a27fd072ff9d9ab3fb0163cacc5f7e18ffed6a33011d8a715c",
  "014_transactions.sql": "513604e94b6106d641d98bddb97b50cd7cc6461d90d49127571e03ee374770ac",
  "016_odd_logs.sql": "5b8b9702f8587e15f0c77a14949b3094fd40087aba629038d4dde13ee943f5c4",
  "017_served.sql": "c173ea159045059d4c53fe0e9732a3f1fae2a94345ec74928795006216717b1c",
  "019_audit_counts.sql": "b22377d6a19b9c4e9dac9f3d5fe4c836f7bd874e71224391caf1913d1893a3de",
  "022_price_gaps.sql": "1332368da7ad80579b1d07f08620fd5e89595c4ce8171c004764257c6a1a831b",
  "023_wallets.sql": "b46c37ffbdae9e1218f47830d623b60feb4b352e296bfb6040fbd6aa24cdd90a",
  "024_search.sql": "994dfa95c9c050c9367988357a145b34845924c5ad1a291d509e4c6cb5b9efe3",
  "026_events.sql": "94879a412a1fa4de83ab7c801ff9e7fea466d1ff13f1c172b4f39479034fc2dd",
  "027_webhooks.sql": "1c8d35e1b139eef0359c1802a0931a93c27d3b7b4055fbe3168f320ea1c9cf52",
  "031_shared_limits.sql": "d9c995419ec924c60b84641b4a72f8aefa67702abd8b92d3788d08bcdd8769aa",
  "029_account_codes.sql": "b2d3856c34ea0f74cc0b1276378971c4c259f8f68d554f9063bd779ff9f57128",
  "036_learned.sql": "bf85ab5304650512da74e00448e275278130cfb5e36d6923ea296b73eb9b05ca",
  "038_wanted_codes.sql": "6d4108b717924eff2d37836b2456d53b0d612c75029c0451475e48ccc36d383c",
  "033_wallet_marks.sql": "9304dd8d7895a78b628198168796e91954f7b63864907fc81d73fa44a0987e1b",
  "039_folds.sql": "0bd759ff60fe97bcdedc089e8a5eaf2ba0b7202b11be913ce9c980812b7c4202",
  "040_learned_moves.sql": "644eb4b84eee3a6e2f67accb682bef2e122083e9ea9899e769f3628100f4e42a",
  "041_appended_moves.sql": "9932a1d5f0b9c8fb3dd1fb8286b00d16f0f9ffcb33bf28888bac1834397624af",
}
