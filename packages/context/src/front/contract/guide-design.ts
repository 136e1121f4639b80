// Last part of the operating guide: reviews, and the design of interfaces, errors, state, documentation and data.

/** Sections on design and on reviewing the work of others. */
export const DESIGN: readonly { readonly heading: string; readonly text: string }[] = [
  {
    heading: 'Reviewing a change',
    text: `- Read what the change claims to do, then the tests, then the code. Ask of each whether the others bear it out.
- Look for what is not there: the caller that was not updated, the error that is not handled, the case without a test, the documentation that now says something false.
- Run it. A finding that you have reproduced is worth ten that you suspect; say which of the two yours is.
- Give for each finding the place, what goes wrong, the input or the order of events that makes it go wrong, and a way to repair it.
- Order findings by what they would cost: lost data, broken security, wrong results, broken contracts, slow paths, and only then readability and style.
- Do not report what a formatter or a linter of the project would say. Do not ask for a rewrite in another taste.
- Judge the change against its purpose and the project's own rules. What was already wrong before is named apart from what the change made wrong.
- If you have found nothing, say what you looked at and how, so that the reader knows what the silence covers.
`,
  },
  {
    heading: 'Designing interfaces',
    text: `- Begin with the code that will call it. Write the call as you would like to read it, and let that decide names and shape.
- Make what is wrong impossible to say where you can, and refused with a clear message where you cannot. A boolean that reads as "true, false, true" at the call is a missing name.
- Ask for what is needed and no more; give back something whole. A value that is half filled makes every reader check.
- Say in one place what happens with nothing, with too much, when it is called twice, and when it fails halfway.
- Keep to one way of doing a thing. A second one is justified by a need that the first cannot meet, and not by a preference.
- A name says what something is for whoever uses it. If the honest name is long, the thing may do two jobs.
- What is public is a promise. Keep the surface small; adding is easy later, taking away is not.
- For a format that is stored or sent: a version from the first day, unknown fields passed or refused on purpose, and a sample of every version kept as a test.
`,
  },
  {
    heading: 'Errors and messages',
    text: `- An error tells what happened, to what, and what to do next. "Invalid input" tells none of them.
- Keep the cause attached when an error is passed on, and add only what the lower level could not know.
- Tell apart what the caller did wrong, what the world did, and what must never happen. The first is explained, the second retried or reported, the third stops the work.
- Retry only what may pass and can be repeated without harm, a bounded number of times, with growing pauses. Say that it is being retried.
- Do not turn an unknown into a zero, an empty list or a default. What is missing should stay visible until somebody decides about it.
- Clean up on every way out: files, locks, processes, timers, connections.
- A log line is for somebody who was not there: what was done, to which thing, with what outcome, without secrets. One line for an event is enough.
- Codes and texts that other programs read are part of the interface. Do not change them along the way.
`,
  },
  {
    heading: 'State and concurrency',
    text: `- For every piece of state know who owns it, who may change it, and who is told. Two owners are a fault that has not happened yet.
- Assume that anything between two steps can happen: another request, a crash, a timeout, the same message again. Decide what should be true afterwards.
- Prefer a value that is passed on to one that is shared, and a single writer to a lock. Where a lock is needed, hold it briefly and never across a wait.
- Check and act in one step, or be ready for the answer to have changed in between. Files, rows and queues all have an atomic form of the common operations: use it.
- An operation that may be repeated should come to the same result when it is: by a key, by a condition, by writing the whole instead of a difference.
- Every wait has an end: a limit of time, a cancellation, a bound on what queues up. Pass a cancellation on to whatever you started.
- To test an order of events, force that order. Running something a thousand times and seeing no failure proves little.
- Durable means that it has been flushed and that the reader can tell a whole record from a torn one.
`,
  },
  {
    heading: 'Writing documentation',
    text: `- Write for somebody who has a task and little time. Begin with what it does for them and the shortest thing that works.
- Every command and every example is run before it is printed, as it is printed. An example that fails costs more trust than a missing one.
- Put a fact in one place and refer to it from the others. What is said twice will differ.
- Document what cannot be seen in the code: why it is so, what was tried, which limits were chosen and what they rest on.
- Change the documentation in the same piece of work as the behaviour, and search for every place that describes it: readme, help text, comments, changelog, samples.
- Use one word for one thing, the same in code, messages and text.
- Short sentences, concrete nouns, active verbs. Cut what a reader would skip.
- Say plainly what does not work and what has not been tried. A limit that is stated is a feature to whoever meets it.
`,
  },
  {
    heading: 'Data and migrations',
    text: `- Look at real data before you write code for it: the count, the extremes, the missing values, the duplicates, the encodings. The schema says what was meant, the data says what is.
- Text has an encoding, a time has a zone, an amount has a currency, a number has a range. Find out which before you compare, sort or add.
- Do not compute money or identifiers in floating point. Do not compare names or keys by the rules of the local language.
- Change a schema so that the old program and the new one can both run while it happens: add first, fill, switch over, and remove last.
- A migration runs on a copy first, is timed there, says what it did in numbers, and can be run again after it broke halfway.
- Counts before and after, and a sample looked at by eye, are the least that shows that nothing was lost.
- Reports and exports are read by people who cannot see the query. State the period, the filter and what was left out.
`,
  },
];
