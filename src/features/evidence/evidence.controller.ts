import { Body, Controller, Headers, HttpStatus, Inject, Post, Res } from '@nestjs/common';
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
import { CiAuth } from '../../auth/access-rule.js';
import type { CiCaller } from '../../auth/caller.js';
import { subjectOfKey } from '../../auth/caller-rate-limit-subject.js';
import { CurrentCaller } from '../../auth/current-caller.decorator.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { sha256 } from '../../digest/sha256.js';
import { ReadsBody } from '../../http/body/body-kind.js';
import { blocksOf } from '../../http/body/block-gatherer.js';
import type { FormLimits } from '../../http/body/form-reading.js';
import type { UnreadForm } from '../../http/body/unread-form.js';
import { DomainError } from '../../http/domain-error.js';
import { Answers } from '../../http/openapi/answers.decorator.js';
import { ExampleBody } from '../../http/openapi/example-body.decorator.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';
import { RequestLimits } from '../../http/rate-limit/request-limits.js';
import { createValidationPipe } from '../../http/validation.js';
import { EvidenceReceipt, EvidenceUpload } from './evidence.dto.js';
import { EvidenceUploads, type Receipt } from './evidence-uploads.service.js';
import { shownReport } from './kept-report.js';
import { digestOfForm, MAX_PARTS, readReportForm, type ReportForm } from './report-form.js';
import type { UploadedFile } from './report-reading.js';
import { ReportReceipt, ReportUpload, ReportUploadFields } from './report-upload.dto.js';
import { uploadOf } from './upload-request.js';
import { type TakeRoom, UploadRoom } from './upload-room.js';

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Makes a repeated upload answer the first one, for 24 hours.',
};

const JUNIT_UPLOAD = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  environment: 'staging',
  files: [{ filename: 'junit.xml', content: '<testsuite tests="1"><testcase name="pays" time="0.01"/></testsuite>' }],
} satisfies EvidenceUpload;

/** Of both ways to upload. */
const REFUSALS = {
  403: 'It may not upload for this repository, the run is of an event that may not upload, or `org` is another one.',
  404: 'The workspace has no such repository, or the repository no release of this version.',
  409: 'The release is shipped, or the `Idempotency-Key` was used for another upload.',
  422: 'A report or a metric cannot be read; the sentence names the file, the line and the cause. Nothing is kept.',
  429: 'The identity token has made the 50 uploads that one may make.',
  503: 'More is being uploaded than the service holds at once, or the storage of report files cannot be reached.',
};

@ApiTags('evidence')
@Controller('api/evidence')
export class EvidenceController {
  constructor(
    private readonly uploads: EvidenceUploads,
    private readonly room: UploadRoom,
    private readonly limits: RequestLimits,
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
  @ReadsBody('upload')
  @ApiOperation({ summary: 'Upload evidence of one CI job for a release' })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ExampleBody(JUNIT_UPLOAD)
  @ApiCreatedResponse({ type: EvidenceReceipt, description: 'The evidence is kept.' })
  @ApiOkResponse({ type: EvidenceReceipt, description: 'The same upload was received before.' })
  @Answers(REFUSALS)
  async upload(
    @CurrentCaller() caller: CiCaller,
    @Body() body: EvidenceUpload,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvidenceReceipt> {
    const files = filesOf(body, this.environment.limits.jsonFileBytes);
    // The whole body decides whether two uploads are the same one.
    const digest = (): string => sha256(JSON.stringify(body));
    const receipt = await this.uploads.receive(caller, uploadOf({ fields: body, files, idempotencyKey, digest }));
    reply.status(statusOf(receipt));
    return { evidenceId: receipt.evidenceId, message: messageOf(receipt, body.version) };
  }

  @Post('upload-report')
  @CiAuth('evidence:write')
  @RateLimited('upload')
  @ReadsBody('form')
  @ApiOperation({ summary: 'Upload the report files of one CI job for a release' })
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ReportUpload })
  @ApiCreatedResponse({ type: ReportReceipt, description: 'The evidence is kept, and each of its files.' })
  @ApiOkResponse({ type: ReportReceipt, description: 'The same upload was received before, with these files.' })
  @Answers(REFUSALS)
  async uploadReport(
    @CurrentCaller() caller: CiCaller,
    @Body() form: UnreadForm | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReportReceipt> {
    if (form === undefined) throw new DomainError('invalid', 'A form is needed, as multipart/form-data.');
    const receipt = await this.room.hold(caller.orgId, async (take) => {
      const sent = await this.readForm(form, take).catch(async (error: unknown) => {
        await this.countForm(caller, undefined, reply);
        throw error;
      });
      await this.countForm(caller, sent.fields['repo'], reply);
      return this.receiveForm(caller, sent, idempotencyKey);
    });
    reply.status(statusOf(receipt));
    const reports = await this.uploads.listReports(caller, receipt.evidenceId);
    return {
      evidenceId: receipt.evidenceId,
      message: messageOf(receipt, receipt.version),
      reports: reports.map((report) => shownReport(report, this.environment.baseUrl)),
    };
  }

  private async readForm(form: UnreadForm, take: TakeRoom): Promise<ReportForm> {
    return readReportForm(await form.read(this.formLimits, take));
  }

  /** The guard could not count a key's: only now is known for which repository it uploads, or that this cannot be told. */
  private async countForm(caller: CiCaller, repo: unknown, reply: FastifyReply): Promise<void> {
    if (caller.kind === 'api_key') await this.limits.spend('upload', subjectOfKey(caller, repo), reply);
  }

  private async receiveForm(
    caller: CiCaller,
    sent: ReportForm,
    idempotencyKey: string | undefined,
  ): Promise<Receipt & { readonly version: string }> {
    const fields = await this.validate(sent.fields);
    const files = sent.files?.map((file) => ({
      ...file,
      ...(fields.format !== undefined && { format: fields.format }),
    }));
    const digest = digestOfForm.bind(null, fields);
    const receipt = await this.uploads.receive(
      caller,
      uploadOf({ fields, files: files ?? null, idempotencyKey, digest }),
    );
    return { ...receipt, version: fields.version };
  }

  private validate(fields: object): Promise<ReportUploadFields> {
    return this.validation.transform(fields, {
      type: 'body',
      metatype: ReportUploadFields,
    }) as Promise<ReportUploadFields>;
  }
}

const statusOf = ({ repeated }: Receipt): HttpStatus => (repeated ? HttpStatus.OK : HttpStatus.CREATED);

const messageOf = ({ repeated }: Receipt, version: string): string =>
  `Evidence ${repeated ? 'was already received' : 'received'} for ${version}.`;

function filesOf({ files }: EvidenceUpload, fileBytes: number): readonly UploadedFile[] | null {
  if (!files) return null;
  return files.map(({ filename, content, format }, index) => {
    const bytes = new TextEncoder().encode(content);
    if (bytes.length > fileBytes) throw new DomainError('too_large', `files.${index} is over ${fileBytes} bytes.`);
    return { filename, content: blocksOf(bytes), ...(typeof format === 'string' && { format }) };
  });
}
