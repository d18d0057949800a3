/** The addresses that the documentation's examples speak of, the same in every one of them. */
import { Address } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"

export const sampleContracts: Readonly<Record<Standard, Address>> = {
  erc20: Address.make("0x174afe7a032b5a33a3270a9f6c30746e25708532"),
  erc721: Address.make("0x5fbdb2315678afecb367f032d93f642f64180aa3"),
  erc1155: Address.make("0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"),
}

export const sampleHolder = Address.make("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")
