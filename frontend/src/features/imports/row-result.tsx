import { CircleCheck, CircleSlash, CircleX, Pencil, type LucideIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Tag, type Tone } from '@/ui/tag';
import type { RowResult } from './queries';

const looks: Record<RowResult, { tone: Tone; icon: LucideIcon }> = {
  created: { tone: 'ok', icon: CircleCheck },
  updated: { tone: 'info', icon: Pencil },
  skipped: { tone: 'idle', icon: CircleSlash },
  refused: { tone: 'bad', icon: CircleX },
};

/** What an import would do with a row. */
export function RowResultTag({ result }: { result: RowResult }) {
  const { t } = useTranslation('imports');
  const { tone, icon } = looks[result];
  return (
    <Tag tone={tone} icon={icon}>
      {t(`review.results.${result}`)}
    </Tag>
  );
}
