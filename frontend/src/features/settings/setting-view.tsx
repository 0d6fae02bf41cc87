import { useId, useState } from 'react';
import { useController, useForm, type UseFormReturn, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText } from '@/data/errors';
import { RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { CheckboxField } from '@/form/choice-fields';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { ConflictNote, UnsavedGuard } from '@/form/page-form';
import { DateField } from '@/form/date-field';
import { PasswordInput } from '@/form/secret-fields';
import { ruleMessage } from '@/form/rule-message';
import { useEditBase, useSave } from '@/form/use-save';
import { useText } from '@/i18n/texts';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { useRecordName } from '@/shell/current-record';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { Field } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import { Tag } from '@/ui/tag';
import { toast } from '@/ui/toast';
import {
  type Setting,
  settingVersionQuery,
  systemSettingQuery,
  updateSettingValueMutation,
} from './queries';
import {
  boundsText,
  optionText,
  sentValue,
  settingRules,
  settingText,
} from './setting-values';
import { usePresentText } from './use-present-text';

interface SettingValues {
  value: string;
}

/** Saves a setting and returns to the list. */
function useSaveSetting(
  setting: Pick<Setting, 'id' | 'type'>,
  list: string,
  setError: UseFormSetError<SettingValues>,
) {
  const { t } = useTranslation('settings');
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(updateSettingValueMutation);
  const { attempt, ...saving } = useSave({
    versionQuery: settingVersionQuery,
    fields: ['value'],
    setError,
  });

  function save(version: number, values: SettingValues) {
    const { id } = setting;
    const input = { id, value: sentValue(setting, values.value), version };
    return attempt({
      key: { id },
      version,
      send: () => execute({ input }),
      onSaved: () => {
        toast.success(t('edit.done'));
        return () => navigate(list);
      },
      onRefused: (failed) => toast.error(errorText(failed)),
    });
  }

  return { ...saving, save };
}

interface SettingViewProps {
  id: string;
  /** The address of the list of settings, which saving and cancelling lead back to. */
  list: string;
  /** Hides settings that planners can read but not change, such as the logo. */
  forPlanners?: boolean;
}

/** A setting with its editor, details and history. */
export function SettingView({ id, list, forPlanners = false }: SettingViewProps) {
  const { t } = useTranslation('settings');
  const result = useRecord({
    document: systemSettingQuery,
    variables: { id },
    typenames: ['SystemSetting'],
    read: ({ systemSetting }) =>
      forPlanners && !systemSetting?.plannerVisible ? null : systemSetting,
  });
  useRecordName(result.value?.name);
  return (
    <PageFrame>
      <RecordState
        result={result}
        loading={<SettingSkeleton />}
        notFound={{
          title: t('notFound.title'),
          text: t('notFound.text'),
          action: t('notFound.action'),
          to: list,
        }}
      >
        {(setting) => (
          <>
            <h2 className="text-xl font-semibold wrap-anywhere">{setting.name}</h2>
            {setting.description && (
              <p className="mt-1 max-w-[640px] text-sm text-muted">{setting.description}</p>
            )}
            <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,560px)_minmax(0,320px)] lg:gap-6">
              <EditSettingForm setting={setting} list={list} onReload={result.retry} />
              <div className="flex min-w-0 flex-col gap-4">
                <SettingFacts setting={setting} />
                <SettingHistory setting={setting} />
              </div>
            </div>
          </>
        )}
      </RecordState>
    </PageFrame>
  );
}

interface EditSettingFormProps {
  setting: Setting;
  list: string;
  /** Reloads the setting. */
  onReload: () => void;
}

const valuesOf = ({ value, isSecret }: Setting) => ({ value: isSecret ? '' : value });

function EditSettingForm({ setting, list, onReload }: EditSettingFormProps) {
  const { t } = useTranslation(['settings', 'common', 'form']);
  const form = useForm({ defaultValues: valuesOf(setting) });
  const { isDirty, isSubmitting } = form.formState;
  const { failure, conflict, exit, save, forget } = useSaveSetting(setting, list, form.setError);
  const [base] = useEditBase(setting, form, valuesOf);

  return (
    <Form form={form} onSubmit={(values) => save(base.version, values)}>
      <UnsavedGuard when={isDirty} isSaving={isSubmitting} exit={exit} />
      {conflict && (
        <ConflictNote
          conflict={conflict}
          onReload={() => {
            forget();
            form.reset();
            onReload();
          }}
        />
      )}
      <FormSummary failure={failure} />
      <Panel className="flex flex-col gap-4 p-4">
        <FormFields>
          <ValueField setting={base} form={form} />
        </FormFields>
        <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            disabled={!isDirty}
            size={36}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button asChild size={36}>
            <RecordLink to={list}>{t('cancel', { ns: 'common' })}</RecordLink>
          </Button>
          {isDirty && !isSubmitting && (
            <span className="ms-auto flex items-center gap-2 text-xs text-muted">
              <span aria-hidden className="size-1.5 rounded-full bg-chart-warn" />
              {t('edit.changed')}
            </span>
          )}
        </div>
      </Panel>
    </Form>
  );
}

/** Up to this many options are offered in a select. With more options, a text input suggests them. */
const FEW = 12;

const INPUT_TYPES: Partial<Record<Setting['type'], string>> = {
  dateTime: 'datetime-local',
  email: 'email',
  number: 'number',
  time: 'time',
  url: 'url',
};

interface ValueFieldProps {
  setting: Setting;
  form: UseFormReturn<SettingValues>;
}

/** The input for the type of a setting. */
function ValueField({ setting, form }: ValueFieldProps) {
  const { t } = useTranslation('settings');
  const textOf = useText();
  const timeZone = useTimeZone();
  const listId = useId();
  const [isUnreadable, setUnreadable] = useState(false);
  const { type, options, isSecret } = setting;
  const label = t('edit.label');
  const { field, fieldState } = useController({
    control: form.control,
    name: 'value',
    rules: settingRules(setting, {
      required: t('edit.required'),
      unknownTimeZone: t('edit.unknownTimeZone'),
      isUnreadable,
    }),
  });
  const message = ruleMessage(t('edit.value'), fieldState.error);
  const bounds = boundsText(setting, textOf) ?? '';
  let hint = bounds;
  if (isSecret) hint = t('edit.secretHint');
  else if (type === 'date') hint = t('edit.dateHint', { bounds }).trim();
  else if (type === 'dateTime') hint = t('edit.zoneHint', { zone: timeZone, bounds }).trim();
  const named = { ...field, autoComplete: 'off' };

  if (type === 'date') {
    return <DateField {...field} label={label} error={fieldState.error} hint={hint} />;
  }
  if (type === 'boolean') {
    const isOn = field.value === 'true';
    return (
      <CheckboxField
        {...field}
        isSwitch
        label={label}
        hint={t(isOn ? 'edit.on' : 'edit.off')}
        error={fieldState.error}
        checked={isOn}
        onChange={({ target }) => field.onChange(String(target.checked))}
      />
    );
  }

  if (options.length > 0 && options.length <= FEW) {
    return (
      <Field required label={label} hint={hint} error={message}>
        <Select {...named}>
          {!options.includes(field.value) && <option value={field.value}>{field.value}</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {optionText(option, textOf)}
            </option>
          ))}
        </Select>
      </Field>
    );
  }
  if (type === 'password') {
    return (
      <Field required label={label} hint={hint} error={message}>
        <PasswordInput {...field} autoComplete="new-password" />
      </Field>
    );
  }
  return (
    <Field required label={label} hint={hint} error={message}>
      <Input
        {...named}
        // `change` does not fire when one unparsable input replaces another.
        onInput={({ currentTarget }) => setUnreadable(currentTarget.validity.badInput)}
        type={INPUT_TYPES[type] ?? 'text'}
        {...(type === 'number' && {
          step: 'any',
          min: setting.min ?? undefined,
          max: setting.max ?? undefined,
          inputMode: 'decimal',
        })}
        {...(type === 'dateTime' && {
          min: setting.min ?? undefined,
          max: setting.max ?? '9999-12-31T23:59',
        })}
        list={options.length > 0 ? listId : undefined}
      />
      {options.length > 0 && (
        <datalist id={listId}>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </datalist>
      )}
    </Field>
  );
}

/** The saved value, and who saved it last. */
function SettingFacts({ setting }: { setting: Setting }) {
  const { t } = useTranslation(['settings', 'common']);
  const { type, group, value, isDefault, updatedAt, updatedBy } = setting;
  const saved = usePresentText(setting, value);
  return (
    <Panel aria-label={t('facts')} className="p-4">
      <Facts columns={1}>
        <Fact label={t('fields.group')} value={group} empty={t('none', { ns: 'common' })} />
        <Fact label={t('fields.type')} value={t(`types.${type}`)} />
        <Fact
          label={t('fields.savedValue')}
          value={
            <span className="flex flex-wrap items-center gap-2">
              {saved || <span className="text-muted">{t('none', { ns: 'common' })}</span>}
              {isDefault && <Tag>{t('default')}</Tag>}
            </span>
          }
        />
        <Fact
          label={t('fields.updatedAt')}
          empty={t('never', { ns: 'common' })}
          value={
            updatedAt && (
              <DateTime instant={updatedAt} />
            )
          }
        />
        <Fact
          label={t('fields.updatedBy')}
          value={updatedBy}
          empty={t('none', { ns: 'common' })}
        />
      </Facts>
    </Panel>
  );
}

/** Previous changes of the setting, newest first. */
function SettingHistory({ setting }: { setting: Setting }) {
  const { t } = useTranslation(['settings', 'common']);
  const textOf = useText();
  const titleId = useId();
  const say = (value: string) => settingText(setting, value, textOf) || t('none', { ns: 'common' });
  return (
    <Panel aria-labelledby={titleId} className="pb-4">
      <PanelHead id={titleId} title={t('history.title')} />
      {setting.history.length === 0 ? (
        <p className="px-4 text-sm text-muted">{t('history.none')}</p>
      ) : (
        <ol aria-labelledby={titleId} className="flex flex-col gap-3 px-4 text-sm">
          {setting.history.map(({ at, actor, before, after }) => (
            <li key={`${at} ${before} ${after}`}>
              <p className="wrap-anywhere tabular-nums">
                {setting.isSecret
                  ? t('history.changed')
                  : t('history.step', { before: say(before), after: say(after) })}
              </p>
              <p className="text-xs text-muted">
                <DateTime instant={at} />{' '}
                · {actor}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** Skeleton in the layout of the page, so that nothing shifts when the setting loads. */
function SettingSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="flex h-7 items-center">
        <Skeleton className="h-5 w-56" />
      </div>
      <div className="mt-1 flex h-5 items-center">
        <Skeleton className="h-3 w-80 max-w-full rounded-full" />
      </div>
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,560px)_minmax(0,320px)] lg:gap-6">
        <Panel className="flex h-40 flex-col gap-3 p-4">
          <Skeleton className="h-3 w-16 rounded-full" />
          <Skeleton className="h-9 w-full" />
        </Panel>
        <FactsSkeleton count={4} className="flex h-56 flex-col" />
      </div>
    </div>
  );
}
