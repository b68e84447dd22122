import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { PageInfo } from '../../../http/pagination/page-info.js';
import { PageQuery } from '../../../http/pagination/page-query.js';
import { IsSearch } from '../../../http/validation/search.js';
import { ReleaseCardDto } from './release-card.dto.js';

/** Which releases of the repository are asked for. */
export class ReleaseListQuery extends PageQuery {
  @IsSearch('A part of a version.')
  search?: string;
}

/** The releases of a repository. */
@ApiSchema({ name: 'ReleaseList' })
export class ReleaseListDto {
  /** The newest version first, by precedence; shipped and cancelled ones included. */
  @ApiProperty({ type: [ReleaseCardDto] })
  milestones!: readonly ReleaseCardDto[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
