// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/advice_page.h"

#include "tools/advise/advice_json.h"
#include "tools/console.h"
#include "tools/report/page_parts.h"
#include "tools/report/template.h"

namespace millrace::tools {

std::string makeAdvicePage(const std::vector<advisor::Advice>& shaders, const std::string& title)
{
    using namespace millrace::tools::report;
    return fillIn(kAdviceHtml, {{"title", htmlText(printable(title))},
                                {"style", std::string(kPageCss) + kAdviceCss},
                                {"script", std::string(kBasicsJs) + kAdviceJs},
                                {"data", jsonForScript({{"shaders", adviceJson(shaders)}})}});
}

}  // namespace millrace::tools
