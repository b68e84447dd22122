import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, Length, Matches } from 'class-validator';
import {
  ARTIFACT_BINDINGS,
  ARTIFACT_DIGEST,
  ARTIFACT_NAME,
  type ArtifactBinding,
  BUNDLE_STATUSES,
} from '../../domain/artifact/artifact.js';
import { COMMIT_SOURCES, type CommitSource } from '../../domain/evidence/evidence.js';
import { UploadFields } from '../evidence/upload/evidence-upload.dto.js';

/** A digest of a build, as CI states it. */
export class ArtifactStatement extends PickType(UploadFields, ['repo', 'version']) {
  /** The name by which the policy requires it. */
  @ApiProperty({ example: 'api' })
  @IsString()
  @Length(1, 255)
  @Matches(ARTIFACT_NAME, { message: 'name must be one line of text without spaces around it' })
  name!: string;

  /** The digest of its bytes: `sha256:` and 64 lower-case hexadecimal digits. */
  @ApiProperty({ example: `sha256:${'4f1c2d9e'.repeat(8)}`, maxLength: 71 })
  @Matches(ARTIFACT_DIGEST, { message: 'digest must be sha256: and 64 lower-case hexadecimal digits' })
  digest!: string;

  /** The commit that it was built from. An identity token has its own. */
  @ApiPropertyOptional({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  @IsOptional()
  @Matches(/^[0-9a-f]{40}$/, { message: 'commit_sha must be a commit in 40 lower-case hexadecimal digits' })
  commit_sha?: string;

  /** The JSON object of a Sigstore bundle that proves who built it, of at most 1 MB. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject({ message: 'bundle must be the JSON object of a bundle' })
  bundle?: object;
}

/** The answer to a statement. */
export class ArtifactReceipt {
  @ApiProperty({ format: 'uuid' })
  artifactId!: string;

  /** What binds the artifact to its commit. `pending` while a bundle is being verified. */
  @ApiProperty({ enum: ARTIFACT_BINDINGS })
  binding!: ArtifactBinding;
}

/** A build that a verified bundle proves. */
export class ProvenanceDto {
  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  sourceSha!: string;

  /** The id of the run at GitHub. */
  @ApiProperty({ example: '8123456789' })
  runId!: string;

  @ApiProperty({ example: 'github-hosted' })
  runnerEnvironment!: string;

  @ApiProperty({ example: 'acme/payments/.github/workflows/build.yml' })
  signerWorkflow!: string;
}

/** A provenance bundle with the result of its verification. */
export class ArtifactBundleDto {
  @ApiProperty({ example: 'a'.repeat(64) })
  sha256!: string;

  @ApiProperty({ enum: BUNDLE_STATUSES })
  status!: (typeof BUNDLE_STATUSES)[number];

  /** Why it is invalid, as a sentence for users; null otherwise. */
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'It was built in the repository with the id 7, not in this one.',
  })
  reason!: string | null;

  /** Null unless it is verified. */
  @ApiProperty({ type: ProvenanceDto, nullable: true })
  provenance!: ProvenanceDto | null;
}

/** An artifact of a release. */
export class ArtifactDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'api' })
  name!: string;

  @ApiProperty({ example: `sha256:${'4f1c2d9e'.repeat(8)}` })
  digest!: string;

  @ApiProperty({ example: '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392' })
  commitSha!: string;

  @ApiProperty({ enum: COMMIT_SOURCES })
  commitSource!: CommitSource;

  /** The id of the run that stated it; null for an API key. */
  @ApiProperty({ type: String, nullable: true, example: '8123456789' })
  runId!: string | null;

  @ApiProperty({ enum: ARTIFACT_BINDINGS })
  binding!: ArtifactBinding;

  /** The policy of the release accepts it now. */
  @ApiProperty()
  accepted!: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  receivedAt!: Date;

  @ApiProperty({ type: [ArtifactBundleDto] })
  bundles!: readonly ArtifactBundleDto[];
}

/** The artifacts of a release, newest first. */
export class ArtifactListDto {
  @ApiProperty({ type: [ArtifactDto] })
  artifacts!: readonly ArtifactDto[];
}
