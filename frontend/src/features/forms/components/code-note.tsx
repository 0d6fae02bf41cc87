import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Note, type NoteTone } from '@/ui/note';
import type { CodeCheck } from '../check-code';

const tones: Record<CodeCheck['result'], NoteTone> = {
  newest: 'ok',
  superseded: 'warn',
  different: 'bad',
};

interface CodeNoteProps {
  deliveryId: string;
  check: CodeCheck;
}

/** What the code on a paper says of it. */
export function CodeNote({ deliveryId, check }: CodeNoteProps) {
  const { t } = useTranslation('forms');
  const { result, version } = check;
  return (
    <Note
      tone={tones[result]}
      role={result === 'different' ? 'alert' : 'status'}
      title={t(`code.${result}.title`, { version })}
    >
      {result === 'superseded' ? (
        <>
          {t('code.superseded.text', { by: check.by })}{' '}
          <Link
            to={routes.viewForm({ deliveryId, formVersion: check.by })}
            className="font-medium text-accent hover:underline"
          >
            {t('code.superseded.show', { by: check.by })}
          </Link>
        </>
      ) : (
        t(`code.${result}.text`)
      )}
    </Note>
  );
}
