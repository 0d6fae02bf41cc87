import { useTranslation } from 'react-i18next';
import { Note } from '@/ui/note';
import type { RefusedFile } from './use-evidence';

/** Why a file was not taken. */
export function RefusedNote({ refused }: { refused: RefusedFile | undefined }) {
  const { t } = useTranslation('proof');
  if (!refused) return null;
  return (
    <Note tone="bad" role="alert" title={t('invalid.title')}>
      {t(`invalid.${refused.problem}`, { name: refused.name })}
    </Note>
  );
}
