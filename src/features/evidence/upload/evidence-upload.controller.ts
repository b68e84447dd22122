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
import { subjectOfRepository } from '../../../auth/rate-limit-key.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { BodyKind } from '../../../http/body/body-parser.js';
import type { UnreadJson } from '../../../http/body/json-body.js';
import type { FormLimits, DeferredForm } from '../../../http/body/multipart-form.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorResponses, ExampleBody } from '../../../http/openapi.decorators.js';
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
  UploadedFile,
} from './evidence-upload.dto.js';
import { type CountUpload, EvidenceUploadService, type UploadResult, type Upload } from './evidence-upload.service.js';
import type { BodyShape } from './upload-body.js';
import { type ReserveBytes, UploadMemoryLimit } from './upload-memory.js';
import { digestOfForm, MAX_PARTS, readReportForm, uploadOf } from './upload-request.js';

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Makes a repeated upload answer the first one, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`^[\x21-\x7e]+$` },
};

const JUNIT_UPLOAD = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  environment: 'staging',
  files: [{ filename: 'junit.xml', content: '<testsuite tests="1"><testcase name="pays" time="0.01"/></testsuite>' }],
} satisfies EvidenceUpload;

/** Digests have been taken in this order ever since: an upload that is repeated answers the first one. */
const SHAPE: BodyShape = { body: Object.keys(new EvidenceUpload()), file: Object.keys(new UploadedFile()) };

/** Of both ways to upload. */
const REFUSALS = {
  403: 'The run is of an event that may not upload, or `org` is another one.',
  404: 'The workspace has no such repository, the credential may not upload for it, or it has no release of this version.',
  409: 'The release is shipped, or the `Idempotency-Key` was used for another upload.',
  422: 'A report or a metric cannot be read; the sentence names the file, the line and the cause. Nothing is kept.',
  429: 'The identity token has made the 50 uploads that one may make.',
  503: 'More is being uploaded than the service holds at once, or the storage of report files cannot be reached.',
};

@ApiTags('evidence')
@Controller('api/evidence')
export class EvidenceUploadController {
  constructor(
    private readonly uploads: EvidenceUploadService,
    private readonly room: UploadMemoryLimit,
    private readonly reader: ReportParserService,
    private readonly limits: RateLimitService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** The pipe that every body goes through: a form is none before it is read. */
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
  @ApiCreatedResponse({ type: EvidenceReceipt, description: 'The evidence is kept.' })
  @ApiOkResponse({ type: EvidenceReceipt, description: 'The same upload was received before.' })
  @ErrorResponses(REFUSALS)
  async create(
    @CurrentCaller() caller: CiCaller,
    @Body() body: UnreadJson | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvidenceReceipt> {
    const receipt = await this.room.run(caller.orgId, async (take) => {
      return this.receive(caller, reply, this.readJson(caller, body, take, idempotencyKey));
    });
    reply.status(statusOf(receipt));
    return { evidenceId: receipt.evidenceId, message: errorMessage(receipt, receipt.version) };
  }

  @Post('upload-report')
  @CiAuth('evidence:write')
  @RateLimited('upload')
  @BodyKind('form')
  @ApiOperation({ summary: 'Upload the report files of one CI job for a release' })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ReportUpload })
  @ApiCreatedResponse({ type: ReportReceipt, description: 'The evidence is kept, and each of its files.' })
  @ApiOkResponse({ type: ReportReceipt, description: 'The same upload was received before, with these files.' })
  @ErrorResponses(REFUSALS)
  async createFromReports(
    @CurrentCaller() caller: CiCaller,
    @Body() form: DeferredForm | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReportReceipt> {
    if (form === undefined) throw new DomainError('invalid', 'A form is needed, as multipart/form-data.');
    const receipt = await this.room.run(caller.orgId, async (take) => {
      return this.receive(caller, reply, this.readForm(caller, form, take, idempotencyKey));
    });
    reply.status(statusOf(receipt));
    const reports = await this.uploads.listReports(caller, receipt.evidenceId);
    return {
      evidenceId: receipt.evidenceId,
      message: errorMessage(receipt, receipt.version),
      reports: reports.map((report) => toReportDto(report, this.environment.baseUrl)),
    };
  }

  /** A run was counted by the guard; an upload by a key counts for its repository once that is found. */
  private async receive(
    caller: CiCaller,
    reply: FastifyReply,
    reading: Promise<Upload>,
  ): Promise<UploadResult & { readonly version: string }> {
    const count: CountUpload = async (repository) => {
      if (caller.kind !== 'api_key') return;
      await this.limits.consume('upload', subjectOfRepository(caller.orgId, repository), reply);
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
    const read = await this.reader.readBody(caller.orgId, { body: blocks, shape: SHAPE, fileBytes });
    const { fields: sent, contents, digest, ...free } = read;
    const fields = await this.validate(EvidenceUpload, sent);
    const files = fields.files?.map(({ filename, format }, index) => ({
      filename,
      content: contents[index] ?? [],
      ...(typeof format === 'string' && { format }),
    }));
    return uploadOf({ fields, free, files: files ?? null, idempotencyKey, digest: () => digest });
  }

  private async readForm(
    caller: CiCaller,
    form: DeferredForm,
    take: ReserveBytes,
    idempotencyKey: string | undefined,
  ): Promise<Upload> {
    const sent = readReportForm(await form.read(this.formLimits, take));
    const { fields: kinds, ...free } = await this.reader.readBody(caller.orgId, sent.free);
    const fields = await this.validate(ReportUploadFields, { ...sent.fields, ...(kinds as object) });
    const files = sent.files?.map((file) => ({
      ...file,
      ...(fields.format !== undefined && { format: fields.format }),
    }));
    if (fields.metrics) fields.metrics = free.metrics;
    const digest = digestOfForm.bind(null, fields);
    return uploadOf({ fields, free, files: files ?? null, idempotencyKey, digest });
  }

  private validate<T>(metatype: Type<T>, fields: unknown): Promise<T> {
    return this.validation.transform(fields, { type: 'body', metatype }) as Promise<T>;
  }
}

const statusOf = ({ repeated }: UploadResult): HttpStatus => (repeated ? HttpStatus.OK : HttpStatus.CREATED);

const errorMessage = ({ repeated }: UploadResult, version: string): string =>
  `Evidence ${repeated ? 'was already received' : 'received'} for ${version}.`;
