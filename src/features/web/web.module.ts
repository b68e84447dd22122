import { Module } from '@nestjs/common';
import { DocsController } from './api-docs/docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { CliController } from './cli/cli.controller.js';
import { CliFile } from './cli/cli-file.js';
import { DashboardPagesController } from './dashboard/dashboard-pages.controller.js';
import { DashboardFiles } from './dashboard/dashboard-files.js';

/**
 * All that a browser loads: the files of the dashboard, the description of the API and the command line for download.
 * Begin at the folder of what you look for. The sources of the dashboard are in `web/`.
 */
@Module({
  controllers: [CliController, DocsController, DashboardPagesController],
  providers: [ApiDocsService, { provide: CliFile, useFactory: () => new CliFile() }, DashboardFiles],
})
export class WebModule {}
