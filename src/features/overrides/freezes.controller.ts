import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { FreezesService } from './freezes.service.js';
import { FreezeDto, CreateFreezeDto, FreezesDto } from './overrides.dto.js';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/freezes')
export class FreezesController {
  constructor(private readonly freezes: FreezesService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'When nothing of the workspace is deployed' })
  @ApiOkResponse({ type: FreezesDto, description: 'Those that admins made; a policy may have freezes of its own.' })
  async list(@CurrentCaller() caller: MemberCaller): Promise<FreezesDto> {
    return { freezes: [...(await this.freezes.list(caller))] };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Close every gate of the workspace for some days' })
  @ApiCreatedResponse({ type: FreezeDto, description: 'On its days no gate is open, from this moment on.' })
  @ErrorResponses({ 409: 'Too many freezes stand already.' })
  async make(@CurrentCaller() caller: MemberCaller, @Body() order: CreateFreezeDto): Promise<FreezeDto> {
    return this.freezes.create(caller, order);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Lift a freeze' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the freeze.' })
  @ApiNoContentResponse({ description: 'It holds no more; the releases are thought over.' })
  @ErrorResponses({ 404: 'The workspace has no such freeze that holds or will.' })
  async lift(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    await this.freezes.lift(caller, id);
  }
}
