import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsOptional, Matches, Length } from 'class-validator';
import type { DsseEnvelope, DsseSignature } from '../../crypto/dsse.js';
import { STATEMENT_PAYLOAD_TYPE } from '../../domain/statement/statement.js';
import { ServiceKeyDto } from '../signing/signing.dto.js';

/** What a statement is about, besides the release. */
export class StatementQuery {
  /** The digest of an artifact. Without it the statement is about the candidate commit alone. */
  @ApiPropertyOptional({ example: `sha256:${'9f86d081'.repeat(8)}` })
  @IsOptional()
  @Matches(/^sha256:[0-9a-f]{64}$/, { message: 'digest must be sha256: and 64 lower-case hexadecimal digits' })
  digest?: string;

  /** The environment of the deployment, ignoring case; the target of the policy by default. */
  @ApiPropertyOptional({ example: 'production', minLength: 1, maxLength: 255 })
  @IsOptional()
  @Length(1, 255)
  environment?: string;
}

/** A signature of the service. */
export class StatementSignatureDto implements DsseSignature {
  /** The `kid` of the key. It is not signed, so it only helps to find the key. */
  @ApiProperty({ example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' })
  keyid!: string;

  /** The Ed25519 signature of the payload and its type (DSSE), in base64. */
  @ApiProperty()
  sig!: string;
}

/** A signed statement about the gate (DSSE). */
export class StatementDto implements DsseEnvelope {
  @ApiProperty({ enum: [STATEMENT_PAYLOAD_TYPE] })
  payloadType!: typeof STATEMENT_PAYLOAD_TYPE;

  /** An in-toto statement with a verification summary of SLSA, as JSON in base64. */
  @ApiProperty()
  payload!: string;

  @ApiProperty({ type: [StatementSignatureDto] })
  signatures!: readonly StatementSignatureDto[];
}

/** A public key that signs statements, or signed them before it was replaced. */
export class StatementKeyDto extends PickType(ServiceKeyDto, [
  'kty',
  'crv',
  'x',
  'kid',
  'use',
  'alg',
  'madeAt',
  'retiredAt',
]) {}

/** A JSON Web Key Set. */
export class StatementKeysDto {
  /** Newest first. */
  @ApiProperty({ type: [StatementKeyDto] })
  keys!: readonly StatementKeyDto[];
}
