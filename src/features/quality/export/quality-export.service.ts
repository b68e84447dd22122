import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { describeFile, type ExportFile } from '../../../export/export-response.js';
import { WorkbookThreadService } from '../../../export/xlsx/workbook-thread.service.js';
import type { QualityFilter, ReleaseGroupDto } from '../quality.dto.js';
import { ReleaseGroupsService } from '../release-groups.service.js';
import { reportDocument, type ReportSubject } from './html/html-report.js';
import { REPORT_SECURITY_POLICY } from './html/report-style.js';
import { csvLines } from './quality-csv.js';
import type { QualityExportFormat } from './quality-export.dto.js';
import { qualityWorkbook } from './quality-workbook.js';

/** The policy of the HTML report if a browser displays it from here: no script, no frame and no origin. */
const HTML_REPORT_POLICY = `${REPORT_SECURITY_POLICY}; frame-ancestors 'none'; sandbox`;

/** Exports the quality of the releases of a workspace as files. */
@Injectable()
export class QualityExportService {
  constructor(
    private readonly groups: ReleaseGroupsService,
    private readonly clock: Clock,
    private readonly workbooks: WorkbookThreadService,
  ) {}

  /** Returns the file with every matching release group that the member can see, in the order of the list. */
  file(member: Member, filter: QualityFilter, format: QualityExportFormat): ExportFile<ReleaseGroupDto> {
    const createdAt = this.clock.now();
    const subject = { org: member.org, reader: member.user.login, createdAt, filters: toFilterTerms(filter) };
    return {
      ...describeFile('quality', subject, format),
      securityPolicy: format === 'html' ? HTML_REPORT_POLICY : null,
      items: this.groups.stream(member.viewer, filter),
      write: this.writers[format](subject),
    };
  }

  private readonly writers: Readonly<
    Record<QualityExportFormat, (subject: ReportSubject) => ExportFile<ReleaseGroupDto>['write']>
  > = {
    csv: () => (groups) => csvLines(groups),
    html: (subject) => (groups) => reportDocument(subject, groups),
    xlsx: (subject) => (groups) => qualityWorkbook(this.workbooks, subject, groups),
  };
}

const toFilterTerms = (filter: QualityFilter): ReportSubject['filters'] =>
  Object.entries(filter).filter((term): term is [string, string] => typeof term[1] === 'string');
