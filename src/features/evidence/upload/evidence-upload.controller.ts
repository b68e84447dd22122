import { Body, Controller, Headers, HttpStatus, Inject, Post, Res, type Type } from '@nestjs/common';
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
import { repositoryRateLimitKey } from '../../../auth/rate-limit-key.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { BodyKind } from '../../../http/body/body-parser.js';
import type { UnreadJson } from '../../../http/body/json-body.js';
import type { FormLimits, DeferredForm } from '../../../http/body/multipart-form.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorCodes, ErrorResponses, ExampleBody } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RateLimitService } from '../../../http/rate-limit/rate-limit.service.js';
import { createValidationPipe } from '../../../http/validation/validation.pipe.js';
import { toReportDto } from '../evidence.dto.js';
import { ReportParserService } from '../parsing/report-parser.service.js';
import {
  EvidenceReceipt,
  EvidenceUpload,
  ReportReceipt,
  ReportUpload,
  ReportUploadFields,
  toReceivedEvidence,
  UploadedFile,
} from './evidence-upload.dto.js';
import { type CountUpload, EvidenceUploadService, type UploadResult, type Upload } from './evidence-upload.service.js';
import type { BodyShape } from '../parsing/upload-body.js';
import { type ReserveBytes, UploadMemoryLimit } from './upload-memory.js';
import { UploadMetrics } from './upload.metrics.js';
import { digestOfForm, MAX_PARTS, readReportForm, toUpload } from './upload-request.js';

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

/** The order of members in the digest of a body. It must never change, so that a repeated upload has the same digest. */
const SHAPE: BodyShape = { body: Object.keys(new EvidenceUpload()), file: Object.keys(new UploadedFile()) };

/** The result of an upload, with the version that it names. */
interface ReceivedUpload extends UploadResult {
  readonly version: string;
}

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
  constructor(
    private readonly uploads: EvidenceUploadService,
    private readonly memory: UploadMemoryLimit,
    private readonly parser: ReportParserService,
    private readonly limits: RateLimitService,
    private readonly metrics: UploadMetrics,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Validates forms, which the global pipe does not see as bodies. */
  private readonly validation = createValidationPipe();

  private get formLimits(): FormLimits {
    return { parts: MAX_PARTS, partBytes: this.environment.limits.fileBytes };
  }

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
  async create(
    @CurrentCaller() caller: CiCaller,
    @Body() body: UnreadJson | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvidenceReceipt> {
    const receipt = await this.receive(caller, reply, (take) => this.readJson(caller, body, take, idempotencyKey));
    reply.status(toStatus(receipt));
    return toReceipt(receipt);
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
  async createFromReports(
    @CurrentCaller() caller: CiCaller,
    @Body() form: DeferredForm | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReportReceipt> {
    if (form === undefined)
      throw new DomainError('invalid', 'The body must be a form. Send it as multipart/form-data.');
    const receipt = await this.receive(caller, reply, (take) => this.readForm(caller, form, take, idempotencyKey));
    reply.status(toStatus(receipt));
    const reports = await this.uploads.listReports(caller, receipt.evidenceId);
    return {
      ...toReceipt(receipt),
      reports: reports.map((report) => toReportDto(report, this.environment.baseUrl)),
    };
  }

  private async receive(
    caller: CiCaller,
    reply: FastifyReply,
    read: (take: ReserveBytes) => Promise<Upload>,
  ): Promise<ReceivedUpload> {
    return this.metrics.observe(() =>
      this.memory.run(caller.orgId, async (take) => this.store(caller, reply, read(take))),
    );
  }

  /** Counts an upload with an API key for its repository when that is known. The guard has counted the upload of a run. */
  private async store(caller: CiCaller, reply: FastifyReply, reading: Promise<Upload>): Promise<ReceivedUpload> {
    const count: CountUpload = async (repository) => {
      if (caller.kind !== 'api_key') return;
      await this.limits.consume('upload', repositoryRateLimitKey(caller.orgId, repository), reply);
    };
    const upload = await reading.catch(async (error: unknown) => {
      await count(null);
      throw error;
    });
    return { ...(await this.uploads.upload(caller, upload, count)), version: upload.version };
  }

  private async readJson(
    caller: CiCaller,
    body: UnreadJson | undefined,
    take: ReserveBytes,
    idempotencyKey: string | undefined,
  ): Promise<Upload> {
    const blocks = (await body?.read(take)) ?? [];
    const { jsonFileBytes: fileBytes } = this.environment.limits;
    const read = await this.parser.readBody(caller.orgId, { body: blocks, shape: SHAPE, fileBytes });
    const { fields: sent, contents, digest, ...free } = read;
    const fields = await this.validate(EvidenceUpload, sent);
    const files = fields.files?.map(({ filename, format }, index) => ({
      filename,
      content: contents[index] ?? [],
      ...(typeof format === 'string' && { format }),
    }));
    return toUpload({ fields, free, files: files ?? null, idempotencyKey, digest: () => digest });
  }

  private async readForm(
    caller: CiCaller,
    form: DeferredForm,
    take: ReserveBytes,
    idempotencyKey: string | undefined,
  ): Promise<Upload> {
    const sent = readReportForm(await form.read(this.formLimits, take));
    const { fields: kinds, ...free } = await this.parser.readBody(caller.orgId, sent.free);
    const fields = await this.validate(ReportUploadFields, { ...sent.fields, ...(kinds as object) });
    const files = sent.files?.map((file) => ({
      ...file,
      ...(fields.format !== undefined && { format: fields.format }),
    }));
    if (fields.metrics) fields.metrics = free.metrics;
    const digest = digestOfForm.bind(null, fields);
    return toUpload({ fields, free, files: files ?? null, idempotencyKey, digest });
  }

  private validate<T>(metatype: Type<T>, fields: unknown): Promise<T> {
    return this.validation.transform(fields, { type: 'body', metatype }) as Promise<T>;
  }
}

const toStatus = ({ repeated }: UploadResult): HttpStatus => (repeated ? HttpStatus.OK : HttpStatus.CREATED);

const toReceipt = ({ evidenceId, repeated, version, items }: ReceivedUpload) => ({
  evidenceId,
  message: `Evidence ${repeated ? 'was already received' : 'received'} for ${version}.`,
  pieces: items.map(toReceivedEvidence),
});
