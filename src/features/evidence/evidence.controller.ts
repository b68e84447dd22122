import { Body, Controller, Headers, HttpStatus, Inject, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CiAuth } from '../../auth/access-rule.js';
import type { CiCaller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/current-caller.decorator.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { ReadsBody } from '../../http/body/body-kind.js';
import { DomainError } from '../../http/domain-error.js';
import { Answers } from '../../http/openapi/answers.decorator.js';
import { ExampleBody } from '../../http/openapi/example-body.decorator.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';
import { EvidenceReceipt, EvidenceUpload } from './evidence.dto.js';
import { EvidenceUploads, type Upload } from './evidence-uploads.service.js';

const JUNIT_UPLOAD = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  environment: 'staging',
  files: [{ filename: 'junit.xml', content: '<testsuite tests="1"><testcase name="pays" time="0.01"/></testsuite>' }],
} satisfies EvidenceUpload;

@ApiTags('evidence')
@Controller('api/evidence')
export class EvidenceController {
  constructor(
    private readonly uploads: EvidenceUploads,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Post('upload')
  @CiAuth('evidence:write')
  @RateLimited('upload')
  @ReadsBody('upload')
  @ApiOperation({ summary: 'Upload evidence of one CI job for a release' })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes a repeated upload answer the first one, for 24 hours.',
  })
  @ExampleBody(JUNIT_UPLOAD)
  @ApiCreatedResponse({ type: EvidenceReceipt, description: 'The evidence is kept.' })
  @ApiOkResponse({ type: EvidenceReceipt, description: 'The same upload was received before.' })
  @Answers({
    403: 'It may not upload for this repository, the run is of an event that may not upload, or `org` is another one.',
    404: 'The workspace has no such repository, or the repository no release of this version.',
    409: 'The release is shipped, or the `Idempotency-Key` was used for another upload.',
    422: 'A report or a metric cannot be read; the sentence names the file, the line and the cause. Nothing is kept.',
    429: 'The identity token has made the 50 uploads that one may make.',
  })
  async upload(
    @CurrentCaller() caller: CiCaller,
    @Body() body: EvidenceUpload,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvidenceReceipt> {
    const upload = uploadOf(body, idempotencyKey, this.environment.limits.jsonFileBytes);
    const { evidenceId, repeated } = await this.uploads.receive(caller, upload);
    reply.status(repeated ? HttpStatus.OK : HttpStatus.CREATED);
    return {
      evidenceId,
      message: `Evidence ${repeated ? 'was already' : ''} received for ${body.version}.`.replace('  ', ' '),
    };
  }
}

function uploadOf(body: EvidenceUpload, idempotencyKey: string | undefined, fileBytes: number): Upload {
  if (body.metrics === undefined && body.reports === undefined && body.files === undefined) {
    throw new DomainError('invalid', 'At least one of metrics, reports and files is needed.');
  }
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new DomainError('invalid', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  const files = (body.files ?? []).map(({ filename, content, format }, index) => {
    const bytes = Buffer.from(content, 'utf8');
    if (bytes.length > fileBytes) {
      throw new DomainError('too_large', `files.${index} is over ${fileBytes} bytes.`);
    }
    return { filename, content: bytes, ...(format === undefined ? {} : { format }) };
  });
  return {
    org: body.org ?? null,
    repository: body.repo,
    version: body.version,
    pipeline: body.pipeline,
    environment: body.environment ?? 'ci',
    job: body.job ?? null,
    commitSha: body.commit_sha ?? null,
    runUrl: body.run_url ?? null,
    idempotencyKey: idempotencyKey ?? null,
    content: { kind: body.kind, metrics: body.metrics ?? {}, reports: body.reports ?? {}, files },
    // The whole body decides whether two uploads are the same one.
    body: JSON.stringify(body),
  };
}
