/** The addresses and the hash that the documentation's examples speak of, the same in every one of them. */
import { Address, type Hash, hashOfHex } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"

export const sampleContracts: Readonly<Record<Standard, Address>> = {
  erc20: Address.make("0x174afe7a032b5a33a3270a9f6c30746e25708532"),
  erc721: Address.make("0x5fbdb2315678afecb367f032d93f642f64180aa3"),
  erc1155: Address.make("0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"),
}

export const sampleHolder = Address.make("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")

/** The newest block of the chain that examples are taken from. */
export const sampleBlockHash = hashOfHex("0x7a6740d5e55274ac160baea3568472fc8c2b185f96e5c3bf7f41f1029b63b4bf")

/** Transactions of it, by what is in them. */
export const sampleTransactions: Readonly<Record<Standard | "swap", Hash>> = {
  erc20: hashOfHex("0x963dd59a1513e716e0cd7cf7d451db3c29f2c8d43d9984fe400f4a000cd6c9de"),
  erc721: hashOfHex("0x944e5c19de856e1a0210c4081f4e968cf93ef1529222a94fcd765ade75a5a19b"),
  erc1155: hashOfHex("0x3076c2c16455d2bb3bee4fcd6d0afd93ae9d860dcdb704db5e2d11aa025aa673"),
  swap: hashOfHex("0x9328cf6605f74de76b6d1e79dbdf69c2c3e4a4066aec5e5d26b057a1e67bea99"),
}
