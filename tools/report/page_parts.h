// SPDX-License-Identifier: Apache-2.0
// The files of the pages and the libraries that it uses, which the build turns into text.
#pragma once

namespace millrace::tools::report {

extern const char kPageHtml[];
extern const char kPageCss[];
extern const char kPageJs[];
extern const char kDrawingJs[];
extern const char kBenchHtml[];
extern const char kBenchCss[];
extern const char kBenchJs[];
extern const char kAdviceHtml[];
extern const char kAdviceCss[];
extern const char kAdviceJs[];
extern const char kBasicsJs[];
extern const char kD3Html[];
// The last is null.
extern const char* const kPageD3[];
extern const char* const kPageDagre[];

}  // namespace millrace::tools::report
