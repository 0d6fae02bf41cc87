import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type FieldValues, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { convertTimes, type CreateInput, inputOf, placeErrors, shownFields } from '@/form/define-form';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { readQuantity } from '@/form/quantity';
import { DefinedFields, labelsOf } from '@/form/record-form';
import { ruleMessages } from '@/form/rule-message';
import { SignOutGuard } from '@/form/sign-out-guard';
import { useFormTimeZone } from '@/form/use-form-time-zone';
import { useLeave } from '@/form/use-leave';
import { showFieldErrors } from '@/form/use-save';
import { useText } from '@/i18n/texts';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { createDeliveryMutation } from '../delivery-queries';
import { FormFooter } from '../action-guard';
import { dropDraft, emptyDraft, isEmptyDraft, readDraft, writeDraft } from './draft';
import { headForm, type HeadFields } from './head-form';
import { wrongItems } from './item-fields';
import { itemInput } from './item-values';
import { ItemsTable } from './items-table';

export default function NewDeliveryPage() {
  const { currentUser } = useAuth();
  return (
    <PageFrame>
      <NewDeliveryForm userId={currentUser?.id ?? ''} />
    </PageFrame>
  );
}

const names = shownFields(headForm, true).map(([name]) => name);

/** Form for a delivery entered by hand. The draft is kept in this tab until the delivery is created or the user signs out. */
function NewDeliveryForm({ userId }: { userId: string }) {
  const { t } = useTranslation(['delivery-editor', 'deliveries', 'common', 'form']);
  const textOf = useText();
  const navigate = useNavigate();
  const { exit, leave } = useLeave();
  const current = useTimeZone();
  const [kept] = useState(() => readDraft(userId, current));
  const [isRestored, setRestored] = useState(() => !isEmptyDraft(kept));
  const [items, setItems] = useState(kept.items);
  const [asked, setAsked] = useState<string>();
  const [failure, setFailure] = useState<AppError>();
  const [, execute] = useMutation(createDeliveryMutation);
  const form = useForm<FieldValues>({ defaultValues: kept.head });
  const timeZone = useFormTimeZone(form, (values, from, to) => convertTimes(headForm, values, from, to));
  const { getValues } = form;
  const typed = useWatch({ control: form.control });
  const { errors, isSubmitting } = form.formState;
  const [isKept, setKept] = useState(isRestored);

  useEffect(() => {
    if (!typed) return;
    const draft = { timeZone, head: getValues(), items };
    writeDraft(userId, draft);
    setKept(!isEmptyDraft(draft));
  }, [typed, getValues, userId, timeZone, items]);

  function discard() {
    form.reset(emptyDraft(timeZone).head);
    setItems([]);
    setFailure(undefined);
    setRestored(false);
    dropDraft(userId);
  }

  async function submit(values: FieldValues) {
    if (exit.isSaved()) return;
    setFailure(undefined);
    const head = inputOf(headForm, values, timeZone) as CreateInput<HeadFields>;
    const { data, error } = await execute({ input: { ...head, items: items.map(itemInput) } });
    if (data) {
      dropDraft(userId);
      toast.success(t('new.done', { id: data.createDelivery.id }));
      await leave(() => navigate(routes.viewDelivery({ deliveryId: data.createDelivery.id })));
      return;
    }
    const failed = placeErrors(headForm, normalizeError(error));
    setFailure(failed);
    showFieldErrors(failed, names, form.setError);
  }

  return (
    <Form form={form} onSubmit={submit} className="flex flex-1 flex-col">
      <SignOutGuard when={isKept} text={t('new.signOut')} />
      <div className="flex max-w-[960px] flex-1 flex-col gap-4">
        {isRestored && (
          <Note
            action={
              <Button size={28} onClick={discard}>
                {t('new.discard')}
              </Button>
            }
          >
            {t('new.restored')}
          </Note>
        )}
        <FormSummary
          failure={failure}
          messages={ruleMessages(labelsOf(headForm, textOf, true), errors)}
          setFocus={form.setFocus}
        />
        <FormFields>
          <Panel className="flex flex-col gap-4 p-4">
            <DefinedFields definition={headForm} form={form} isNew />
          </Panel>
          <ItemsTable
            items={items.map((item) => ({
              ...item,
              description: item.description || null,
              sku: item.sku || null,
              unit: item.unit || null,
              quantity: readQuantity(item.quantity) ?? 0,
            }))}
            wrong={wrongItems(failure, items)}
            editAddress={(_, index) => routes.newDeliveryItem({ index })}
            onDelete={({ itemNumber }) => setAsked(itemNumber)}
            add={
              <Button asChild icon={Plus}>
                <Link to={routes.newDeliveryItem()}>{t('items.add')}</Link>
              </Button>
            }
          />
        </FormFields>
      </div>
      {asked !== undefined && (
        <ConfirmDialog
          danger
          title={t('items.question', { item: asked })}
          text={t('items.questionDraft')}
          confirm={t('items.confirm')}
          busy={t('items.deleting')}
          onConfirm={() => {
            setItems(items.filter(({ itemNumber }) => itemNumber !== asked));
            return Promise.resolve(undefined);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
      <FormFooter errors={Object.keys(errors).length} note={t('new.kept')}>
        <Button asChild size={36}>
          <Link to={routes.deliveries()}>{t('cancel', { ns: 'common' })}</Link>
        </Button>
        <SubmitButton
          size={36}
          busy={isSubmitting}
          label={t('new.create')}
          busyLabel={t('new.creating')}
        />
      </FormFooter>
    </Form>
  );
}
