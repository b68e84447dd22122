import { Module } from '@nestjs/common';
import { ExportResponse } from './export-response.js';
import { WorkbookThreadService } from './xlsx/workbook-thread.service.js';

/** Files that are written from rows while they are sent. One module, so that a process has one thread for workbooks. */
@Module({ providers: [ExportResponse, WorkbookThreadService], exports: [ExportResponse, WorkbookThreadService] })
export class ExportModule {}
