// Tables of an audit's page: causes, agents, projects, models and sessions. Names of folders and titles of sessions are
// text of the user. Without permission only the last part of a folder is shown, and no title.

import type { Audit, AuditCause, AuditGroup, AuditSession, AuditSums } from '@tidemark/analytics';
import { causeInWords } from '@tidemark/context';

import { dollars, formatNumber, percent } from '../frame/numbers.ts';
import { agentName, costOfCause, nameOfProject } from '../reports/audit-report.ts';
import { colourOf, swatch } from './audit-colours.ts';
import type { Markup } from './markup.ts';
import { markup, NOTHING } from './markup.ts';

/** Maximum number of sessions in the table, of sessions that are drawn, and of projects and models. */
export const PAGE_ROWS = { sessions: 50, drawn: 12, groups: 30 } as const;

/** Renders the difference by cause, with the meaning of each cause. */
export function causesSection({ causes, sums }: Audit): Markup {
  if (causes.length === 0) return NOTHING;
  const head = [{ text: 'cause' }, 'calls', 'tokens', 'cost', 'share', { text: 'meaning' }];
  const rows = causes.map((one) => causeRow(one, sums));
  return markup`<h2 id="causes">Difference by cause</h2>
    <p class="soft">Tokens that were sent before and were paid again, and their cost above the price of reading them from the cache.</p>
    ${tableOf(head, rows)}`;
}

function causeRow(one: AuditCause, sums: AuditSums): Markup {
  return markup`<tr>
    <th scope="row">${swatch(colourOf(one.cause))}${one.cause}</th>
    <td>${formatNumber(one.calls)}</td>
    <td>${formatNumber(one.tokens)}</td>
    <td>${costOfCause(one)}</td>
    <td>${percent(Number(one.cost), Number(sums.difference))}</td>
    <td class="name meaning">${causeInWords(one.cause)}</td>
  </tr> `;
}

/** Column of a table. The cells of a column for text have the class `name`. */
export type PageColumn = string | { readonly text: string };

/** Renders a table. It can be scrolled sideways in a narrow window. */
export function tableOf(head: readonly PageColumn[], rows: readonly Markup[]): Markup {
  return markup`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${head.map((column) =>
            typeof column === 'string'
              ? markup`<th scope="col">${column}</th>`
              : markup`<th scope="col" class="name">${column.text}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div> `;
}

const SUM_HEAD = ['calls', 'paid', 'difference', 'share'] as const;

function sumCells({ calls, paid, difference }: AuditSums): Markup {
  const amounts = [dollars(paid), dollars(difference), percent(Number(difference), Number(paid))];
  return markup`<td>${formatNumber(calls)}</td>
    ${amounts.map((cell) => markup`<td>${cell}</td>`)}`;
}

/** Renders the sums by agent, project and model. With `titles`, projects are shown with their whole paths. */
export function groupsSection({ agents, projects, models }: Audit, titles: boolean): Markup {
  return markup`<h2 id="groups">By agent, project and model</h2>
    ${groupTable('agent', agents, agentName)}
    ${groupTable('project', projects, (name) => projectName(name, titles))}
    ${groupTable('model', models, (name) => name)}`;
}

function groupTable(title: string, groups: readonly AuditGroup[], nameOf: (name: string) => string): Markup {
  const shown = groups.slice(0, PAGE_ROWS.groups);
  const more =
    shown.length === groups.length
      ? NOTHING
      : markup`<p class="soft">${shown.length} of ${formatNumber(groups.length)} ${title}s, by their paid cost.</p>`;
  const rows = shown.map(
    (group) =>
      markup`<tr>
        <th scope="row" class="name long" dir="auto">${nameOf(group.name)}</th>
        ${sumCells(group)}
      </tr> `,
  );
  return markup`${tableOf([{ text: title }, ...SUM_HEAD], rows)}${more}`;
}

/** Returns the last part of a project's path, or the whole path with `titles`. */
export function projectName(project: string, titles: boolean): string {
  return titles ? project : nameOfProject(project);
}

/** Renders the sessions with the largest difference. The first ones link to their drawings. */
export function sessionsSection({ sums, sessions }: Audit, drawn: number, titles: boolean): Markup {
  const shown = sessions.slice(0, PAGE_ROWS.sessions);
  const names = [{ text: 'started (UTC)' }, { text: titles ? 'project, title and id' : 'project and id' }];
  const head = [...names, ...SUM_HEAD, { text: 'largest cause' }];
  const rows = shown.map((session, index) => sessionRow(session, index < drawn ? index : undefined, titles));
  const count = shown.length === sums.sessions ? '' : `${shown.length} of ${formatNumber(sums.sessions)} sessions. `;
  return markup`<h2 id="sessions">Sessions</h2>
    <p class="soft">${count}The largest difference comes first.${drawn === 0 ? '' : ' The time of a session leads to the drawing of its calls.'}</p>
    ${tableOf(head, rows)}`;
}

function sessionRow(session: AuditSession, drawing: number | undefined, titles: boolean): Markup {
  const started = minuteOf(session.from);
  const [largest] = session.causes;
  const time = drawing === undefined ? started : markup`<a href="#s${drawing + 1}">${started}</a>`;
  const title =
    titles && session.title !== undefined ? markup`<span dir="auto">${session.title}</span><br />` : NOTHING;
  return markup`<tr>
    <td class="name">${time}<br />${agentName(session.agent)}</td>
    <td class="name long"><span dir="auto">${projectName(session.project, titles)}</span><br />${title}<code>${session.session}</code></td>
    ${sumCells(session)}
    <td class="name">${largest === undefined ? '' : markup`${swatch(colourOf(largest.cause))}${largest.cause}`}</td>
  </tr> `;
}

/** Returns a time without its seconds: `2026-11-20 09:30`. */
export function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}
