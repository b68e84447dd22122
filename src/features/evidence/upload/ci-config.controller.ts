import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../../auth/access.decorators.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { SERVICE_VERSION } from '../../../config/service-version.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { MAX_FILES } from '../parsing/upload-body.js';
import { CiConfigDto, ReportUpload } from './evidence-upload.dto.js';

@ApiTags('configuration')
@Controller('api/config')
export class CiConfigController {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  @Get('ci')
  @Public()
  @RateLimited('public')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({ summary: 'Get the settings that a CI client needs' })
  @ApiOkResponse({
    type: CiConfigDto,
    description: 'The same for all callers. A newer client can leave out fields that this version does not know.',
  })
  getCiConfiguration(): CiConfigDto {
    const { oidcAudience, oidcIssuer, limits } = this.environment;
    return {
      version: SERVICE_VERSION,
      audience: oidcAudience,
      issuer: oidcIssuer,
      upload_fields: Object.keys(new ReportUpload()),
      limits: {
        files: MAX_FILES,
        file_bytes: limits.fileBytes,
        upload_bytes: limits.uploadBytes,
        inflated_bytes: limits.inflatedBytes,
      },
    };
  }
}
