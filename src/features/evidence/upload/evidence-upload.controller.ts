import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CiAuth, CurrentCaller } from '../../../auth/access.decorators.js';
import type { CiCaller } from '../../../auth/caller.js';
import { BodyKind } from '../../../http/body/body-parser.js';
import type { UnreadJson } from '../../../http/body/json-body.js';
import type { DeferredForm } from '../../../http/body/multipart-form.js';
import { ErrorCodes, ErrorResponses, ExampleBody } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { EvidenceReceipt, EvidenceUpload, ReportReceipt, ReportUpload } from './evidence-upload.dto.js';
import { UploadReceptionService } from './upload-reception.service.js';

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'A repeated upload with this key returns the result of the first one, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`^[\x21-\x7e]+$` },
};

const JUNIT_UPLOAD = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  environment: 'staging',
  files: [{ filename: 'junit.xml', content: '<testsuite tests="1"><testcase name="pays" time="0.01"/></testsuite>' }],
} satisfies EvidenceUpload;

/** The errors of both upload routes. */
const UPLOAD_ERRORS = {
  403: 'Runs of this event cannot upload, or `org` is not the organization of the credential.',
  404: 'The repository does not exist, the credential cannot upload for it, or it has no release of this version.',
  409: 'The release is shipped, or the `Idempotency-Key` was used for another upload.',
  422: 'A report or a metric is not valid; the message names the file, the line and the cause. Nothing is stored.',
  429: 'The identity token was used for the maximum of 50 uploads.',
  503: 'Too many uploads are in progress, or the storage of report files is not available.',
};

@ApiTags('evidence')
@Controller('api/evidence')
export class EvidenceUploadController {
  constructor(private readonly receptions: UploadReceptionService) {}

  @Post('upload')
  @CiAuth('evidence:write')
  @RateLimited('upload')
  @BodyKind('upload')
  @ApiOperation({ summary: 'Upload evidence of one CI job for a release' })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiBody({ type: EvidenceUpload })
  @ExampleBody(JUNIT_UPLOAD)
  @ApiCreatedResponse({ type: EvidenceReceipt, description: 'The evidence is stored.' })
  @ApiOkResponse({ type: EvidenceReceipt, description: 'The same upload was stored before.' })
  @ErrorResponses(UPLOAD_ERRORS)
  @ErrorCodes({ 409: ['shipped', 'idempotency_key_used'] })
  async uploadEvidence(
    @CurrentCaller() caller: CiCaller,
    @Body() body: UnreadJson | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvidenceReceipt> {
    return this.receptions.receiveJson(caller, body, idempotencyKey, reply);
  }

  @Post('upload-report')
  @CiAuth('evidence:write')
  @RateLimited('upload')
  @BodyKind('form')
  @ApiOperation({ summary: 'Upload the report files of one CI job for a release' })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ReportUpload })
  @ApiCreatedResponse({ type: ReportReceipt, description: 'The evidence and its files are stored.' })
  @ApiOkResponse({ type: ReportReceipt, description: 'The same upload was stored before, with these files.' })
  @ErrorResponses(UPLOAD_ERRORS)
  @ErrorCodes({ 409: ['shipped', 'idempotency_key_used'] })
  async uploadReports(
    @CurrentCaller() caller: CiCaller,
    @Body() form: DeferredForm | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReportReceipt> {
    return this.receptions.receiveForm(caller, form, idempotencyKey, reply);
  }
}
