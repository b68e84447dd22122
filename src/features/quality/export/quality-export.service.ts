import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import type { QualityFilter, ReleaseGroupDto } from '../quality.dto.js';
import { ReleaseGroupsService } from '../release-groups.service.js';
import { csvLines } from './csv.js';
import { type ExportFile, type ExportFormat, MEDIA_TYPES } from './export-response.js';
import { reportDocument, type ReportSubject } from './html/html-report.js';
import { REPORT_SECURITY_POLICY } from './html/report-style.js';
import { WorkbookThread } from './xlsx/workbook-thread.service.js';

/** Also where a browser shows it from here: no script, no frame around it, and no origin that it would be of. */
const HTML_REPORT_POLICY = `${REPORT_SECURITY_POLICY}; frame-ancestors 'none'; sandbox`;

/** The quality of a workspace's releases as files that people keep, and show to others. */
@Injectable()
export class QualityExportService {
  constructor(
    private readonly groups: ReleaseGroupsService,
    private readonly clock: Clock,
    private readonly workbooks: WorkbookThread,
  ) {}

  /** Every release group that the member may see and that matches, in the order of the list. */
  file(member: Member, filter: QualityFilter, format: ExportFormat): ExportFile<ReleaseGroupDto> {
    const createdAt = this.clock.now();
    const subject = { org: member.org, reader: member.user.login, createdAt, filters: termsOf(filter) };
    return {
      name: `shipgate-quality-${member.org}-${createdAt.toISOString().slice(0, 'yyyy-mm-dd'.length)}.${format}`,
      contentType: MEDIA_TYPES[format] + (format === 'xlsx' ? '' : '; charset=utf-8'),
      securityPolicy: format === 'html' ? HTML_REPORT_POLICY : null,
      items: this.groups.stream(member.viewer, filter),
      write: this.writers[format](subject),
    };
  }

  private readonly writers: Readonly<
    Record<ExportFormat, (subject: ReportSubject) => ExportFile<ReleaseGroupDto>['write']>
  > = {
    csv: () => (groups) => csvLines(groups),
    html: (subject) => (groups) => reportDocument(subject, groups),
    xlsx: (subject) => (groups) => this.workbooks.write(subject, groups),
  };
}

const termsOf = (filter: QualityFilter): ReportSubject['filters'] =>
  Object.entries(filter).filter((term): term is [string, string] => typeof term[1] === 'string');
