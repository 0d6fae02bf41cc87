import { useTranslation } from 'react-i18next';
import { useOfficeRules } from '@/data/use-office-rules';
import { formatLimit } from '@/lib/numbers';
import { Note } from '@/ui/note';
import type { RefusedFile } from './use-evidence';

/** Why a file was not taken. */
export function RefusedNote({ refused }: { refused: RefusedFile | undefined }) {
  const { t } = useTranslation('proof');
  const { maxAttachments, maxAttachmentBytes } = useOfficeRules();
  if (!refused) return null;
  return (
    <Note tone="bad" role="alert" title={t('invalid.title')}>
      {t(`invalid.${refused.problem}`, {
        name: refused.name,
        size: formatLimit(maxAttachmentBytes),
        count: maxAttachments,
      })}
    </Note>
  );
}
