import { HttpStatus, Inject, Injectable, type Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { CiCaller } from '../../../auth/caller.js';
import { repositoryRateLimitKey } from '../../../auth/rate-limit-key.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { UnreadJson } from '../../../http/body/json-body.js';
import type { FormLimits, DeferredForm } from '../../../http/body/multipart-form.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { RateLimitService } from '../../../http/rate-limit/rate-limit.service.js';
import { createSenderSignal } from '../../../http/sender-signal.js';
import { createValidationPipe } from '../../../http/validation/validation.pipe.js';
import { toReportDto } from '../evidence.dto.js';
import { ReportParserService } from '../parsing/report-parser.service.js';
import {
  EvidenceReceipt,
  EvidenceUpload,
  ReportReceipt,
  ReportUploadFields,
  toReceivedEvidence,
  UploadedFile,
} from './evidence-upload.dto.js';
import { UploadEffectService } from './upload-effect.service.js';
import { type CountUpload, EvidenceUploadService, type UploadResult, type Upload } from './evidence-upload.service.js';
import type { BodyShape } from '../parsing/upload-body.js';
import { type ReserveBytes, UploadMemoryLimit } from './upload-memory-limit.js';
import { UploadMetrics } from './upload.metrics.js';
import { digestOfForm, MAX_PARTS, readReportForm, toUpload } from './upload-request.js';

/** The order of members in the digest of a body. It must never change, so that a repeated upload has the same digest. */
const SHAPE: BodyShape = { body: Object.keys(new EvidenceUpload()), file: Object.keys(new UploadedFile()) };

/** What an upload needs while its body arrives. */
interface Arrival {
  readonly take: ReserveBytes;
  /** Aborts when the sender closes the connection. */
  readonly signal: AbortSignal;
}

/** The result of an upload, with the version that it names. */
interface ReceivedUpload extends UploadResult {
  readonly version: string;
}

/** Reads the bodies of uploads within their memory, counts the uploads, and stores them. */
@Injectable()
export class UploadReceptionService {
  constructor(
    private readonly uploads: EvidenceUploadService,
    private readonly effects: UploadEffectService,
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

  async receiveJson(
    caller: CiCaller,
    body: UnreadJson | undefined,
    idempotencyKey: string | undefined,
    reply: FastifyReply,
  ): Promise<EvidenceReceipt> {
    const receipt = await this.receive(caller, reply, (arrival) =>
      this.readJson(caller, body, arrival, idempotencyKey),
    );
    reply.status(toStatus(receipt));
    return this.toReceipt(caller, receipt);
  }

  async receiveForm(
    caller: CiCaller,
    form: DeferredForm | undefined,
    idempotencyKey: string | undefined,
    reply: FastifyReply,
  ): Promise<ReportReceipt> {
    if (form === undefined)
      throw new DomainError('invalid', 'The body must be a form. Send it as multipart/form-data.');
    const receipt = await this.receive(caller, reply, (arrival) =>
      this.readForm(caller, form, arrival, idempotencyKey),
    );
    reply.status(toStatus(receipt));
    const reports = await this.uploads.listReports(caller, receipt.evidenceId);
    return {
      ...(await this.toReceipt(caller, receipt)),
      reports: reports.map((report) => toReportDto(report, this.environment.baseUrl)),
    };
  }

  /** Describes the upload after its memory was released, because the description may wait for GitHub. */
  private async toReceipt(caller: CiCaller, upload: ReceivedUpload) {
    const described = await this.effects.describe(caller, upload);
    return { evidenceId: upload.evidenceId, ...described, pieces: upload.items.map(toReceivedEvidence) };
  }

  private async receive(
    caller: CiCaller,
    reply: FastifyReply,
    read: (arrival: Arrival) => Promise<Upload>,
  ): Promise<ReceivedUpload> {
    const signal = createSenderSignal(reply.raw);
    return this.metrics.observe(() =>
      this.memory.run(caller.orgId, async (take) => this.store(caller, reply, read({ take, signal }), signal)),
    );
  }

  /** Counts an upload with an API key for its repository when that is known. The guard has counted the upload of a run. */
  private async store(
    caller: CiCaller,
    reply: FastifyReply,
    reading: Promise<Upload>,
    signal: AbortSignal,
  ): Promise<ReceivedUpload> {
    const count: CountUpload = async (repository) => {
      if (caller.kind !== 'api_key') return;
      await this.limits.consume('upload', repositoryRateLimitKey(caller.orgId, repository), reply);
    };
    const upload = await reading.catch(async (error: unknown) => {
      await count(null);
      throw error;
    });
    return { ...(await this.uploads.upload(caller, upload, { count, signal })), version: upload.version };
  }

  private async readJson(
    caller: CiCaller,
    body: UnreadJson | undefined,
    { take, signal }: Arrival,
    idempotencyKey: string | undefined,
  ): Promise<Upload> {
    const blocks = (await body?.read(take)) ?? [];
    const { jsonFileBytes: fileBytes } = this.environment.limits;
    const read = await this.parser.readBody(caller.orgId, { body: blocks, shape: SHAPE, fileBytes }, signal);
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
    { take, signal }: Arrival,
    idempotencyKey: string | undefined,
  ): Promise<Upload> {
    const sent = readReportForm(await form.read(this.formLimits, take));
    const { fields: kinds, ...free } = await this.parser.readBody(caller.orgId, sent.free, signal);
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
