import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PageForm } from '@/form/page-form';
import { useBase } from '@/form/use-base';
import { useQuestion } from '@/form/use-question';
import { routes } from '@/routing/routes';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import type { Source } from '../queries';
import { type SourceValues, sourceValues } from '../source-values';
import { useSaveSource } from '../use-save-source';
import { SourceFields, useSourceLabels } from './source-fields';

interface EditSourceFormProps {
  source: Source;
  /** Reads the source anew. */
  onReload: () => void;
}

export function EditSourceForm({ source, onReload }: EditSourceFormProps) {
  const { t } = useTranslation(['sources', 'form']);
  const form = useForm({ defaultValues: sourceValues(source) });
  const { failure, conflict, save, forget } = useSaveSource(source, form.setError);
  const labels = useSourceLabels();
  const question = useQuestion();
  const base = useBase(source, form, sourceValues);

  async function submit(values: SourceValues) {
    if (base.isActive && !values.isActive && !(await question.ask())) return;
    await save(base.version, values);
  }

  return (
    <>
      <PageForm
        form={form}
        labels={labels}
        failure={failure}
        conflict={conflict}
        onReload={() => {
          forget();
          onReload();
        }}
        onSubmit={submit}
        cancelTo={routes.viewSource({ sourceId: source.id })}
        className="max-w-[560px]"
      >
        <SourceFields form={form} />
      </PageForm>
      {question.isOpen && (
        <ConfirmDialog
          danger
          title={t('disable.question', { name: base.name })}
          text={t('disable.text')}
          confirm={t('disable.confirm')}
          busy={t('saving', { ns: 'form' })}
          onConfirm={() => {
            question.answer(true);
            return Promise.resolve(undefined);
          }}
          onClose={() => question.answer(false)}
        />
      )}
    </>
  );
}
