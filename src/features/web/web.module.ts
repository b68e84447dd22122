import { Module } from '@nestjs/common';
import { DocsController } from './api-docs/api-docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { CliController } from './cli/cli.controller.js';
import { CliFile } from './cli/cli-file.js';
import { DashboardPagesController } from './dashboard/dashboard.controller.js';
import { DashboardFiles } from './dashboard/dashboard-files.js';

@Module({
  controllers: [CliController, DocsController, DashboardPagesController],
  providers: [ApiDocsService, { provide: CliFile, useFactory: () => new CliFile() }, DashboardFiles],
})
export class WebModule {}
