import { ApiProperty } from '@nestjs/swagger';

/** A current or former public key of the service (RFC 7517, RFC 8037). */
export class ServiceKeyDto {
  @ApiProperty({ enum: ['OKP'] })
  kty!: 'OKP';

  @ApiProperty({ enum: ['Ed25519'] })
  crv!: 'Ed25519';

  /** The public key: 32 bytes in base64url. */
  @ApiProperty({ example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })
  x!: string;

  /** The thumbprint of the key (RFC 7638), which signatures contain. */
  @ApiProperty({ example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' })
  kid!: string;

  @ApiProperty({ enum: ['sig'] })
  use!: 'sig';

  @ApiProperty({ enum: ['EdDSA'] })
  alg!: 'EdDSA';

  /** The start of its use. */
  @ApiProperty({ format: 'date-time' })
  madeAt!: string;

  /** The end of its use; null for the current key. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  retiredAt!: string | null;
}

/** A JSON Web Key Set. */
export class ServiceKeysDto {
  /** Newest first. */
  @ApiProperty({ type: [ServiceKeyDto] })
  keys!: readonly ServiceKeyDto[];
}
